"""Tools for AnnData, as scanpy names them: `congraph.tl.consensus_graph(adata, groupby="cell_type")`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._consensus import ConsensusGraph
from ._errors import CongraphWarning, one_error, tell
from ._graphs import Graphs, _optional
from ._views import Views

__all__ = ["consensus_graph", "graphs"]


def consensus_graph(
    adata: Any,
    groupby: str,
    *,
    groups: Sequence[str] | None = None,
    genes: str | Sequence[str] | None = None,
    layer: str | None = None,
    use_raw: bool | None = None,
    min_cells: int = 20,
    min_cells_per_gene: int = 3,
    key_added: str = "consensus_graph",
    copy: bool = False,
    **params: Any,
) -> Any:
    """Learn one graph of genes per group of cells, and the consensus they share.

    Parameters
    ----------
    adata : AnnData
        Log-normalised values; raw counts are refused.
    groupby : str
        The column of ``adata.obs`` that tells the views apart, such as the cell type.
    groups : sequence of str, optional
        Which groups; all with at least ``min_cells`` cells otherwise.
    genes : str or sequence of str, optional
        A boolean column of ``adata.var`` such as ``"highly_variable"``, or names; all otherwise.
    layer : str, optional
        The layer to take instead of ``X``.
    use_raw : bool, optional
        Take the values of ``adata.raw``, which must have the genes. By default they are taken where ``X`` was scaled (it has
        negative values) and ``raw`` is there.
    min_cells : int, default 20
        The fewest cells of a group.
    min_cells_per_gene : int, default 3
        The fewest cells of a group in which a gene is seen. In groups where it is seen in fewer it is masked; if that is so in all
        groups it is left out, with a warning. (Genes that are seen in one and the same cell only are perfectly correlated.)
    key_added : str
        The prefix of what is added.
    copy : bool
        Leave `adata` as it is and return a copy with the graphs.
    **params
        Those of `ConsensusGraph`.

    Returns
    -------
    AnnData or None
        ``varp[key_added]`` holds the consensus and ``varp[f"{key_added}_{k}"]`` the graph of group k, all genes × genes and sparse;
        ``uns[key_added]`` the groups in this order, densities, uniqueness, parameters and the gap.

    Examples
    --------
    >>> import anndata, congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=2, n_signals=100, edge_probability=0.2, seed=1)
    >>> adata = anndata.concat({name: anndata.AnnData(array) for name, array in data.views.items()}, label="kind", index_unique="-")
    >>> congraph.tl.consensus_graph(adata, groupby="kind", density=0.2)
    >>> adata.varp["consensus_graph"].shape, adata.uns["consensus_graph"]["groups"].tolist()
    ((20, 20), ['view1', 'view2'])
    """
    sparse = _optional("scipy.sparse", "scanpy")
    adata = adata.copy() if copy else adata
    views = _views_of(
        adata,
        groupby,
        groups=groups,
        genes=genes,
        layer=layer,
        use_raw=use_raw,
        min_cells=min_cells,
        min_cells_per_gene=min_cells_per_gene,
    )
    # Genes that a group does not show take part where they are seen.
    model = ConsensusGraph(**{"missing": "mask", **params}).fit(views)
    place = adata.var_names.get_indexer(model.node_names_)

    def spread(view: int | None) -> Any:
        """The weights among all genes of the object."""
        found = model.to_scipy(view).tocoo()
        n = adata.n_vars
        return sparse.csr_matrix((found.data, (place[found.row], place[found.col])), shape=(n, n))

    for key in _former(adata, key_added):
        del adata.varp[key]
    adata.varp[key_added] = spread(None)
    for view in range(len(model.view_names_)):
        adata.varp[f"{key_added}_{view}"] = spread(view)
    adata.uns[key_added] = {
        "groupby": groupby,
        "groups": np.asarray(model.view_names_, dtype=object),
        "genes": np.asarray(model.node_names_, dtype=object),
        "varp_keys": np.asarray([f"{key_added}_{view}" for view in range(len(model.view_names_))], dtype=object),
        "density": model.density_,
        "densities": model.densities_,
        "uniqueness": model.uniqueness_,
        "similarity": float("nan") if model.similarity_ is None else model.similarity_,
        "relative_gap": model.relative_gap_,
        "params": {**_model(model), "beta": model.beta_, "gamma": model.gamma_},
    }
    return adata if copy else None


def graphs(adata: Any, key: str = "consensus_graph") -> Graphs:
    """The graphs that `consensus_graph` added to an object, of the genes that were learned.

    Parameters
    ----------
    adata : AnnData
    key : str
        What they were added as.

    Returns
    -------
    Graphs

    Examples
    --------
    >>> import anndata, congraph
    >>> data = congraph.simulate(n_nodes=20, n_views=2, n_signals=100, edge_probability=0.2, seed=1)
    >>> adata = anndata.concat({name: anndata.AnnData(array) for name, array in data.views.items()}, label="kind", index_unique="-")
    >>> congraph.tl.consensus_graph(adata, groupby="kind", density=0.2)
    >>> congraph.tl.graphs(adata).view_names_
    ['view1', 'view2']
    """
    if key not in adata.uns or key not in adata.varp:
        raise ValueError(f"there is no {key!r} in the object: call `congraph.tl.consensus_graph` first, or name its `key_added`")
    told = adata.uns[key]
    names = [str(gene) for gene in told["genes"]]
    place = adata.var_names.get_indexer(names)
    matrices = [adata.varp[str(name)][place][:, place].toarray() for name in told["varp_keys"]]
    shared = adata.varp[key][place][:, place].toarray()
    return Graphs.from_matrices(np.stack(matrices), shared, nodes=names, views=[str(group) for group in told["groups"]])


def _model(model: ConsensusGraph) -> dict[str, Any]:
    """What a fit has beside beta and gamma: alpha, or the filter of a likelihood."""
    return {"alpha": model.alpha_} if model.filter_ is None else {"method": "likelihood", "filter": model.filter_}


def _former(adata: Any, key: str) -> list[str]:
    """The graphs of an earlier call, which may have had more groups."""
    told = adata.uns.get(key, {})
    return [str(name) for name in told.get("varp_keys", ()) if str(name) in adata.varp]


def _genes(adata: Any, genes: str | Sequence[str] | None) -> list[str]:
    if genes is None:
        return list(adata.var_names)
    if isinstance(genes, str):
        if genes not in adata.var:
            raise ValueError(f"genes is {genes!r}, which is no column of adata.var; give a boolean column or names")
        return list(adata.var_names[np.asarray(adata.var[genes], dtype=bool)])
    unknown = [gene for gene in genes if gene not in adata.var_names]
    if unknown:
        more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
        raise ValueError(f"{', '.join(map(repr, unknown[:5]))}{more} {'is no gene' if len(unknown) == 1 else 'are no genes'} of the object")
    return list(genes)


def _views_of(
    adata: Any,
    groupby: str,
    *,
    groups: Sequence[str] | None = None,
    genes: str | Sequence[str] | None = None,
    layer: str | None = None,
    use_raw: bool | None = None,
    min_cells: int = 20,
    min_cells_per_gene: int = 3,
) -> Views:
    """One view per group of cells, with the genes that are seen often enough in it."""
    chosen = _genes(adata, genes)
    groups = [groups] if isinstance(groups, str) else groups
    labels, kept = _groups(adata, groupby, groups, min_cells)
    if use_raw and adata.raw is None:
        raise ValueError("use_raw is True, and adata.raw is not there")
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"layer is {layer!r}, which is no layer of the object; there are {', '.join(adata.layers) or 'none'}")
    if use_raw is None:
        use_raw = layer is None and adata.raw is not None and _has_negative(adata.X)
    source = adata.raw.to_adata() if use_raw else adata
    columns = source.var_names.get_indexer(chosen)
    if (columns < 0).any():
        raise ValueError("adata.raw does not have all of the genes")
    values = source.layers[layer] if layer is not None else source.X

    def table(group: str) -> Any:
        found = values[labels == group][:, columns]
        return found.toarray() if hasattr(found, "toarray") else np.asarray(found)

    tables = {group: table(group) for group in kept}
    # A gene is seen where its value is not 0; in centred values, where it is not the least, which is what 0 has become.
    least = np.min([found.min(axis=0) for found in tables.values()], axis=0)
    unseen = least if any(_has_negative(found) for found in tables.values()) else np.zeros(len(columns))
    often = {group: (found != unseen).sum(axis=0) >= min_cells_per_gene for group, found in tables.items()}
    anywhere = np.any(list(often.values()), axis=0)
    if anywhere.sum() < 2:
        raise ValueError(f"no two genes are seen in {min_cells_per_gene} cells of a group; lower min_cells_per_gene")
    if not anywhere.all():
        gone = [gene for gene, seen in zip(chosen, anywhere, strict=True) if not seen]
        shown = ", ".join(gone[:5]) + (f" and {len(gone) - 5} more" if len(gone) > 5 else "")
        told = f"{len(gone)} of {len(chosen)} genes are seen in fewer than {min_cells_per_gene} cells of every group (min_cells_per_gene) and were left out: {shown}"
        tell([CongraphWarning(told, "W03")])
    names = np.asarray(chosen, dtype=object)
    return Views(
        {group: np.ascontiguousarray(found[:, often[group]], dtype=np.float64) for group, found in tables.items()},
        nodes={group: names[often[group]].tolist() for group in tables},
    )


def _has_negative(values: Any) -> bool:
    least = values.min()
    return bool(least < 0)


def _groups(adata: Any, groupby: str, groups: Sequence[str] | None, min_cells: int) -> tuple[Any, list[str]]:
    """The label of each cell, and the groups that are large enough."""
    if groupby not in adata.obs:
        raise ValueError(f"groupby is {groupby!r}, which is no column of adata.obs")
    column = adata.obs[groupby]
    if column.isna().any():
        raise one_error(
            "E07",
            f"{int(column.isna().sum())} of {len(column)} cells have no label in obs[{groupby!r}]",
            "cells without a label would become a group of their own",
            f"leave them out first: adata[adata.obs[{groupby!r}].notna()]",
        )
    labels = column.astype(str).to_numpy()
    counts = {str(group): int((labels == str(group)).sum()) for group in (groups if groups is not None else np.unique(labels))}
    absent = [group for group, count in counts.items() if count == 0]
    if absent:
        raise ValueError(f"groups has {absent[0]!r}, which is no value of obs[{groupby!r}]; there are {', '.join(np.unique(labels)[:20])}")
    kept = [group for group, count in counts.items() if groups is not None or count >= min_cells]
    if not kept:
        raise ValueError(f"no group of {groupby!r} has {min_cells} cells; lower min_cells")
    small = [f"{group} ({count})" for group, count in counts.items() if group not in kept]
    if small:
        tell([CongraphWarning(f"left out because they have fewer than {min_cells} cells (min_cells): {', '.join(small)}", "W05")])
    return labels, kept
