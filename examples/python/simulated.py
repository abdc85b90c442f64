# %% [markdown]
# # Known graphs, learned from simulated data
# Six data sets of 500 noisy signals on 100 nodes. Their graphs share 90 % of their edges. How many are found?

# %%
import congraph

data = congraph.simulate(n_nodes=100, n_views=6, n_signals=500, shuffled=0.1, seed=1)
data.views

# %% [markdown]
# ## By what you think in
# How dense the graphs are, and how alike. The parameters that reach this are found.

# %%
model = congraph.ConsensusGraph(density=0.1, similarity=0.85).fit(data.views)
print(model)

# %% [markdown]
# ## How well
# Against learning every view on its own, at the same density.

# %%
alone = congraph.SingleGraph(density=0.1).fit(data.views)
print(f"F1 of the views: {congraph.f1(alone, data.truth):.3f} alone, {congraph.f1(model, data.truth):.3f} jointly")
shared = congraph.evaluate(model, data.truth).consensus
assert shared is not None
print(f"F1 of the consensus: {shared['f1']:.3f}")
assert congraph.f1(model, data.truth) > congraph.f1(alone, data.truth)

# %% [markdown]
# ## A choice without a truth
# The fit that suits other samples best.

# %%
tuned = congraph.ConsensusGraph().tune(data.views, density=(0.05, 0.2), similarity=(0.75, 0.95), halvings=2)
print(tuned)
print(f"F1 of the views: {congraph.f1(tuned, data.truth):.3f}")

# %% [markdown]
# ## A view that comes later
# Its graph against the frozen consensus: what it lacks, and what it adds.

# %%
late = congraph.simulate(n_nodes=100, n_views=7, n_signals=40, seed=1).views["view7"]
(projection,) = model.project({"late": late})
print(f"uniqueness {projection.uniqueness:.2f}, {len(projection.edges('lacking'))} edges lacking, {len(projection.edges('added'))} added")
