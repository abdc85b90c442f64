"""Learn one sparse graph per data set, and the consensus graph they share.

>>> import congraph
>>> data = congraph.simulate(n_nodes=100, n_views=6, n_signals=500, seed=1)
>>> m = congraph.ConsensusGraph(density=0.1, similarity=0.85).fit(data.views)
>>> congraph.f1(m, data.truth) > 0.9
True
"""

from __future__ import annotations

from . import pl, plots, tl
from ._consensus import ConsensusGraph, Projection, SingleGraph
from ._cv import ConsensusGraphCV
from ._engine import __version__
from ._epochs import from_epochs
from ._errors import CongraphDataError, CongraphWarning
from ._folder import load
from ._graphs import Communities, Comparison, Graphs
from ._joint import JointGraphicalLasso
from ._metrics import Evaluation, accuracy, auprc, correlation, evaluate, f1, nmi, precision, recall, total_variation
from ._refits import Refits
from ._simulate import Simulation, simulate
from ._stability import Stability
from ._views import Views

__all__ = [
    "Communities",
    "Comparison",
    "CongraphDataError",
    "CongraphWarning",
    "ConsensusGraph",
    "ConsensusGraphCV",
    "Evaluation",
    "Graphs",
    "JointGraphicalLasso",
    "Projection",
    "Refits",
    "Simulation",
    "SingleGraph",
    "Stability",
    "Views",
    "__version__",
    "accuracy",
    "auprc",
    "correlation",
    "evaluate",
    "f1",
    "from_epochs",
    "load",
    "nmi",
    "pl",
    "plots",
    "precision",
    "recall",
    "simulate",
    "tl",
    "total_variation",
]
