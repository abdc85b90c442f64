# %% [markdown]
# # A net of sensors over four seasons
# Forty sensors in a field measure something that varies smoothly from neighbour to neighbour. In each season some links differ. The data are simulated, so that the
# places are known and the graphs can be checked. What comes in is one long table, as from a data base.

# %%
import numpy as np
import pandas

import congraph

data = congraph.simulate(n_nodes=40, n_views=4, n_signals=120, graph="rgg", mean_degree=6, added=0.1, removed=0.1, filter="heat", seed=8)
seasons = dict(zip(data.views, ["spring", "summer", "autumn", "winter"]))
long = pandas.concat(
    [
        pandas.DataFrame(data.views[view], columns=data.truth.node_names_).assign(season=season, day=np.arange(120) // 12)
        for view, season in seasons.items()
    ],
    ignore_index=True,
)
long.head()

# %% [markdown]
# ## One long table: which season, and which days belong together

# %%
model = congraph.ConsensusGraph().tune(long, views="season", blocks="day", density=(0.08, 0.25), similarity=(0.8, 0.95), halvings=2)
print(model)

# %% [markdown]
# ## Are edges short?
# Nothing was said about where the sensors are; the graph found out.

# %%
places = data.positions
assert places is not None and model.consensus_weights_ is not None
one, other = model.edge_index_[:, model.consensus_weights_ > 0]
along = np.linalg.norm(places[one] - places[other], axis=1).mean()
anywhere = np.linalg.norm(places[:, None] - places[None], axis=2).mean()
print(f"mean distance along an edge {along:.2f}, between any two sensors {anywhere:.2f}")
assert along < 0.55 * anywhere

# %% [markdown]
# ## Pictures

# %%
congraph.plots.graph(model, positions=dict(zip(model.node_names_, places)))
congraph.plots.heatmaps(model)
congraph.plots.path(model)
