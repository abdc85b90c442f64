# %% [markdown]
# # Which genes vary together, in seven kinds of blood cells
# 660 cells, 100 genes; see `examples/data/pbmc68k/README.md` for origin and licence. Needs `congraph[scanpy]`.

# %%
import pathlib

import anndata
import pandas

import congraph

HERE = pathlib.Path(__file__).parent if "__file__" in globals() else pathlib.Path.cwd()  # a notebook is where it is opened
FILE = HERE.resolve().parent / "data" / "pbmc68k" / "expression.csv.gz"
table = pandas.read_csv(FILE)
adata = anndata.AnnData(table.drop(columns="cell_type"), obs=table[["cell_type"]].set_axis(table.index.astype(str)))
print(adata)

# %% [markdown]
# ## One graph per cell type, and the consensus
# They are added to the object: `varp` holds the graphs, `uns` what else there is to know.

# %%
congraph.tl.consensus_graph(adata, groupby="cell_type", density=0.06, similarity=0.8)
found = adata.uns["consensus_graph"]
for group, uniqueness in zip(found["groups"], found["uniqueness"]):
    print(f"{group:<32} {uniqueness:.2f}")

# %% [markdown]
# ## The strongest edges of the consensus

# %%
edges = adata.varp["consensus_graph"].tocoo()
strongest = sorted(zip(edges.data, edges.row, edges.col), reverse=True)
for weight, a, b in [edge for edge in strongest if edge[1] < edge[2]][:10]:
    print(f"{adata.var_names[a]:<10} {adata.var_names[b]:<10} {weight:.2f}")
