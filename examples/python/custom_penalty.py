# %% [markdown]
# # A penalty of one's own
# How a view's departure from the consensus is charged is up to you: give a value and a proximal map. This one, Huber's, charges small departures by their square and
# large ones by their size: views may differ a little everywhere, and much in a few places.

# %%
import numpy as np
import numpy.typing as npt

import congraph

Floats = npt.NDArray[np.float64]


class Huber:
    """v²/2δ where |v| ≤ δ, and |v| − δ/2 beyond."""

    def __init__(self, delta: float) -> None:
        self.delta = delta

    def value(self, differences: Floats) -> float:
        """The charge of all differences, edges × views."""
        size = np.abs(differences)
        return float(np.where(size <= self.delta, size**2 / (2 * self.delta), size - self.delta / 2).sum())

    def prox(self, differences: Floats, step: float) -> Floats:
        """What minimises step · value(y) + ½‖y − differences‖² over y."""
        shrunk: Floats = differences - step * differences / np.maximum(self.delta + step, np.abs(differences))
        return shrunk


# %%
data = congraph.simulate(n_nodes=30, n_views=4, n_signals=200, edge_probability=0.2, seed=1)
model = congraph.ConsensusGraph(alpha=0.05, beta=0.1, penalty=Huber(0.05), tol=1e-6).fit(data.views)
print(model)
print(f"F1 of the views: {congraph.f1(model, data.truth):.3f}")
assert model.converged_

# %% [markdown]
# ## Close to absolute values where δ is small

# %%
narrow = congraph.ConsensusGraph(alpha=0.05, beta=0.1, penalty=Huber(1e-3), tol=1e-6).fit(data.views)
absolute = congraph.ConsensusGraph(alpha=0.05, beta=0.1).fit(data.views)
print(f"correlation with the l1 penalty's weights: {np.corrcoef(narrow.graphs_.ravel(), absolute.graphs_.ravel())[0, 1]:.4f}")
