"""Tools for AnnData, as scanpy names them: `congraph.tl.consensus_graph(adata, groupby="cell_type")`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ._consensus import ConsensusGraph
from ._errors import CongraphWarning, one_error, tell
from ._graphs import Graphs, _optional, counted
from ._kinds import _is_anndata
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
        The column of ``adata.obs`` that tells the views apart, such as the cell type. Groups are in the order of its categories, which
        is that of ``coupling="chain"``; of text, in the order in which anndata makes categories of it (E2 before E10); of all else, as
        they first occur.
    groups : sequence of str, optional
        Which groups, and in which order; all with at least ``min_cells`` cells otherwise.
    genes : str or sequence of str, optional
        A boolean column of ``adata.var`` such as ``"highly_variable"`` (where it is missing it does not hold), or names; all otherwise.
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
        ``uns[key_added]`` the groups in this order, densities, uniqueness, parameters and the gap, and (if a group lacks a gene)
        which gene is ``present`` in which group.

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
        # Which group has which gene, if any lacks one.
        **({} if model.present_ is None else {"present": model.present_}),
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
    _refuse_other(adata)
    if key not in adata.uns or key not in adata.varp:
        raise ValueError(f"there is no {key!r} in the object: call `congraph.tl.consensus_graph` first, or name its `key_added`")
    told = adata.uns[key]
    names = [str(gene) for gene in told["genes"]]
    place = adata.var_names.get_indexer(names)
    matrices = [adata.varp[str(name)][place][:, place].toarray() for name in told["varp_keys"]]
    shared = adata.varp[key][place][:, place].toarray()
    found = Graphs.from_matrices(np.stack(matrices), shared, nodes=names, views=[str(group) for group in told["groups"]])
    found.present_ = np.asarray(told["present"], dtype=np.bool_) if "present" in told else None
    return found


def _model(model: ConsensusGraph) -> dict[str, Any]:
    """What a fit has beside beta and gamma: alpha, or the filter of a likelihood."""
    return {"alpha": model.alpha_} if model.filter_ is None else {"method": "likelihood", "filter": model.filter_}


def _former(adata: Any, key: str) -> list[str]:
    """The graphs of an earlier call, which may have had more groups."""
    told = adata.uns.get(key, {})
    return [str(name) for name in told.get("varp_keys", ()) if str(name) in adata.varp]


def _genes(adata: Any, genes: Any) -> list[str]:
    if not adata.var_names.is_unique:
        twice = adata.var_names[adata.var_names.duplicated()]
        raise one_error(
            "E06",
            f"{counted(len(twice), 'gene')} of the object {'has' if len(twice) == 1 else 'have'} the name of another: {_shown(map(str, twice.unique()))}",
            "genes are matched by name, and these could not be told apart",
            "make the names unique first: `adata.var_names_make_unique()`",
        )
    if genes is None:
        return list(adata.var_names)
    if isinstance(genes, str):
        if genes not in adata.var:
            raise ValueError(f"genes is {genes!r}, which is no column of adata.var; give a column of truth values, or names")
        return list(adata.var_names[_holds(adata.var[genes], genes)])
    if _is_mask(genes):
        raise TypeError(
            "genes is a mask of truth values: give the name of the column, such as `genes=\"highly_variable\"`, or the names of the genes, "
            "`adata.var_names[mask]`"
        )
    try:
        names: list[str] = list(genes)
    except TypeError:
        raise TypeError(f"genes is {genes!r}; it must be the name of a column of truth values in adata.var, or the names of genes") from None
    unknown = [gene for gene in names if gene not in adata.var_names]
    if unknown:
        raise ValueError(f"{_shown(map(repr, unknown))} {'is no gene' if len(unknown) == 1 else 'are no genes'} of the object")
    return names


def _shown(names: Iterable[str]) -> str:
    """The first of them, and how many there are more."""
    every = list(names)
    return ", ".join(every[:5]) + (f" and {len(every) - 5} more" if len(every) > 5 else "")


def _is_mask(genes: Any) -> bool:
    """Whether these are truth values and no names."""
    kind = getattr(genes, "dtype", None)
    if kind is not None:
        return str(kind) in ("bool", "boolean")
    return isinstance(genes, (list, tuple)) and len(genes) > 0 and all(isinstance(gene, (bool, np.bool_)) for gene in genes)


def _holds(column: Any, name: str) -> Any:
    """For which genes a column of truth values holds; where one is missing it does not, as on the command line."""
    missing = column.isna().to_numpy()
    values = column.astype(object).to_numpy()
    if getattr(column.dtype, "kind", "O") in "iuf":
        strange = [value for value in values if value not in (0, 1)]
    else:
        strange = [value for value in values[~missing] if not isinstance(value, (bool, np.bool_))]
    if strange:
        raise _no_flags(f"var[{name!r}] does not hold truth values for the genes; one is {strange[0]!r}")
    flags = np.where(missing, False, values).astype(bool)
    if not flags.any():
        raise _no_flags(f"there is no gene for which var[{name!r}] holds")
    return flags


def _no_flags(what: str) -> Exception:
    return one_error("E07", what, "`genes` names the column that says which genes to take", "give another column of adata.var, or the names of genes")


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
    _refuse_other(adata)
    chosen = _genes(adata, genes)
    groups = [groups] if isinstance(groups, str) else groups
    labels, kept = _groups(adata, groupby, groups, min_cells)
    if use_raw and adata.raw is None:
        raise ValueError("use_raw is True, and adata.raw is not there")
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"layer is {layer!r}, which is no layer of the object; there are {', '.join(adata.layers) or 'none'}")
    if use_raw is None:
        use_raw = layer is None and adata.raw is not None and adata.X is not None and _has_negative(adata.X)
    if adata.X is None and layer is None and not use_raw:
        layers = f"the object has {', '.join(map(repr, adata.layers))}" if adata.layers else "the object has none"
        raise ValueError(f"adata.X is not there, so there are no values to learn from: name a layer, `layer=...` ({layers})")
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
        raise ValueError(f"no two genes are seen in {counted(min_cells_per_gene, 'cell')} of a group; lower min_cells_per_gene")
    if not anywhere.all():
        gone = [gene for gene, seen in zip(chosen, anywhere, strict=True) if not seen]
        shown = ", ".join(gone[:5]) + (f" and {len(gone) - 5} more" if len(gone) > 5 else "")
        seen, left = ("is seen", "was left out") if len(gone) == 1 else ("are seen", "were left out")
        told = f"{len(gone)} of {len(chosen)} genes {seen} in fewer than {counted(min_cells_per_gene, 'cell')} of every group (min_cells_per_gene) and {left}: {shown}"
        tell([CongraphWarning(told, "W03")])
    names = np.asarray(chosen, dtype=object)
    views = Views(
        {group: np.ascontiguousarray(found[:, often[group]], dtype=np.float64) for group, found in tables.items()},
        nodes={group: names[often[group]].tolist() for group in tables},
    )
    views._seldom = {group: names[~often[group]].tolist() for group in tables}
    return views


def _refuse_other(adata: Any) -> None:
    if not _is_anndata(adata):
        raise TypeError(f"adata is {'None' if adata is None else 'a ' + type(adata).__name__}; it must be an AnnData object, as `anndata.read_h5ad` gives it")


def _has_negative(values: Any) -> bool:
    least = values.min()
    return bool(least < 0)


def _in_order(column: Any) -> list[str]:
    """The groups in the order of the command line on the object's file: of categories theirs, else as they first occur.

    Text becomes categories in the file, in the order that anndata gives them.
    """
    if type(column.dtype).__name__ == "CategoricalDtype":
        there = set(column.unique())
        every = [category for category in column.cat.categories if category in there]
    else:
        every = column.unique().tolist()
        if all(isinstance(label, str) for label in every):
            every = list(_optional("natsort", "scanpy").natsorted(every))
    names: dict[str, Any] = {}
    for label in every:
        if str(label) in names:
            raise one_error(
                "E06",
                f"two groups of {column.name!r} are called `{label}`: {names[str(label)]!r} and {label!r}",
                "results could not be told apart",
                "give every group a name of its own",
                view=str(label),
            )
        names[str(label)] = label
    return list(names)


def _groups(adata: Any, groupby: str, groups: Sequence[str] | None, min_cells: int) -> tuple[Any, list[str]]:
    """The label of each cell, and the groups that are large enough."""
    if groupby not in adata.obs:
        raise ValueError(f"groupby is {groupby!r}, which is no column of adata.obs; it has {', '.join(map(str, adata.obs.columns[:20])) or 'none'}")
    column = adata.obs[groupby]
    if column.isna().any():
        raise one_error(
            "E07",
            f"{int(column.isna().sum())} of {len(column)} cells have no label in obs[{groupby!r}]",
            "cells without a label would become a group of their own",
            f"leave them out first: adata[adata.obs[{groupby!r}].notna()]",
        )
    labels = column.astype(str).to_numpy()
    every = _in_order(column)
    counts = {str(group): int((labels == str(group)).sum()) for group in (groups if groups is not None else every)}
    absent = [group for group, count in counts.items() if count == 0]
    if absent:
        raise ValueError(f"groups has {absent[0]!r}, which is no value of obs[{groupby!r}]; there are {', '.join(every[:20])}")
    kept = [group for group, count in counts.items() if groups is not None or count >= min_cells]
    if not kept:
        raise ValueError(f"no group of {groupby!r} has {min_cells} cells; lower min_cells")
    small = [f"{group} ({count})" for group, count in counts.items() if group not in kept]
    if small:
        tell([CongraphWarning(f"left out because they have fewer than {min_cells} cells (min_cells): {', '.join(small)}", "W05")])
    return labels, kept
