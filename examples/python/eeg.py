# %% [markdown]
# # Six subjects' EEG, and the graph they share
# Thirty seconds each of 32 electrodes while fists are opened and closed on cue; see `examples/data/eeg/README.md` for origin and licence. Needs `congraph[mne]`.

# %%
import pathlib
from typing import Any

import mne

import congraph

HERE = pathlib.Path(__file__).parent if "__file__" in globals() else pathlib.Path.cwd()  # a notebook is where it is opened
FOLDER = HERE.resolve().parent / "data" / "eeg"

# %% [markdown]
# ## Preprocessing with MNE
# Average reference, theta band, half a second after each cue.


# %%
def epochs(path: pathlib.Path) -> Any:
    raw = mne.io.read_raw_edf(path, preload=True, verbose="error")
    mne.datasets.eegbci.standardize(raw)
    raw.set_montage("standard_1005", verbose="error")
    raw.set_eeg_reference("average", verbose="error")
    raw.filter(4, 7, method="iir", verbose="error")
    events, ids = mne.events_from_annotations(raw, verbose="error")
    cues = {name: ids[name] for name in ("T1", "T2") if name in ids}
    return mne.Epochs(raw, events, cues, tmin=0, tmax=0.5, baseline=None, preload=True, verbose="error")


subjects = {path.stem: epochs(path) for path in sorted(FOLDER.glob("*.edf"))}

# %% [markdown]
# ## Graphs
# Electrodes are nodes, subjects are views, epochs are blocks. The names and positions come along.

# %%
views = congraph.from_epochs(subjects, tmin=0, tmax=0.5)
model = congraph.ConsensusGraph(density=0.15, similarity=0.85).fit(views)
print(model)

# %% [markdown]
# ## Who differs, and what belongs together

# %%
for name, uniqueness in sorted(zip(model.view_names_, model.uniqueness_), key=lambda pair: -pair[1]):
    print(f"{name}  {uniqueness:.2f}")
communities = model.communities(runs=20)
assert communities.consensus is not None
for community in range(communities.consensus.max() + 1):
    print(community, " ".join(node for node, label in zip(model.node_names_, communities.consensus) if label == community))

# %% [markdown]
# ## On the scalp, and as MNE knows connectivity

# %%
congraph.plots.graph(model, colors=communities.consensus)
connectivity = model.to_connectivity()
print(connectivity)
