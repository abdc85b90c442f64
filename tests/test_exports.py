"""What `congraph export` writes, read back by networkx, SciPy, NumPy and pandas: the same graphs, to the bit."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import networkx as nx
import numpy as np
import pandas as pd
import scipy.io

CONGRAPH = os.environ["CONGRAPH"]
# Names that a careless writer would break on.
NAMES = ["Fz", "C z", "<P>", '"O"', "T&7", "µV", "a,b", "n8"]


def congraph(*words, cwd):
    subprocess.run([CONGRAPH, *map(str, words)], cwd=cwd, capture_output=True, text=True, check=True)


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        rng = np.random.default_rng(5)
        shared = rng.normal(size=(60, 3)) @ rng.normal(size=(3, len(NAMES)))
        cls.files = []
        for view in ("sub-01_task-rest_eeg", "sub-02_task-rest_eeg", "sub-03_task-rest_eeg"):
            table = pd.DataFrame(shared + rng.normal(size=shared.shape), columns=NAMES)
            table.to_csv(cls.root / f"{view}.csv", index=False)
            cls.files.append(f"{view}.csv")
        congraph("learn", *cls.files, "--alpha", 0.05, "--beta", 0.05, "-o", "out", cwd=cls.root)
        congraph("communities", "out", "--runs", 5, cwd=cls.root)
        congraph("export", "out", "--to", "graphml,gexf,mat,npz,edges,relmat", "-o", "exported", cwd=cls.root)
        with np.load(cls.root / "out/matrices.npz") as archive:
            cls.expected = {"consensus": archive["consensus"]}
            cls.expected |= {f"view-{name}": x for name, x in zip(archive["view_names"], archive["views"])}
            cls.views = archive["views"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def adjacency(self, graph):
        self.assertFalse(graph.is_directed())
        self.assertEqual(list(graph), NAMES)
        return nx.to_numpy_array(graph, nodelist=NAMES)

    def test_graphml(self):
        for stem, expected in self.expected.items():
            graph = nx.read_graphml(self.root / f"exported/{stem}.graphml")
            np.testing.assert_array_equal(self.adjacency(graph), expected)
            self.assertEqual(nx.get_node_attributes(graph, "name"), {name: name for name in NAMES})
            self.check_strengths(graph, expected)

    def test_gexf(self):
        for stem, expected in self.expected.items():
            graph = nx.read_gexf(self.root / f"exported/{stem}.gexf")
            np.testing.assert_array_equal(self.adjacency(graph), expected)
            self.check_strengths(graph, expected)

    def check_strengths(self, graph, expected):
        strengths = [graph.nodes[name]["strength"] for name in NAMES]
        np.testing.assert_allclose(strengths, expected.sum(axis=0), rtol=1e-12)
        self.assertEqual([type(graph.nodes[name]["community"]) for name in NAMES], [int] * len(NAMES))

    def test_edges(self):
        for stem, expected in self.expected.items():
            table = pd.read_csv(self.root / f"exported/{stem}.edges.tsv", sep="\t", float_precision="round_trip")
            graph = nx.from_pandas_edgelist(table, edge_attr="weight")
            found = nx.to_numpy_array(nx.compose(nx.empty_graph(NAMES), graph), nodelist=NAMES)
            np.testing.assert_array_equal(found, expected)

    def test_mat(self):
        found = scipy.io.loadmat(self.root / "exported/graphs.mat")
        np.testing.assert_array_equal(found["consensus"], self.expected["consensus"])
        np.testing.assert_array_equal(found["views"], self.views)
        self.assertEqual([str(cell[0][0]) for cell in found["nodes"]], NAMES)
        self.assertEqual([f"{cell[0][0]}.csv" for cell in found["view_names"]], self.files)

    def test_npz(self):
        with np.load(self.root / "exported/graphs.npz") as found:
            np.testing.assert_array_equal(found["consensus"], self.expected["consensus"])
            np.testing.assert_array_equal(found["views"], self.views)
            self.assertEqual(list(found["nodes"]), NAMES)

    def test_relmat(self):
        stems = ["desc-consensus"] + [file.replace("_eeg.csv", "") for file in self.files]
        for stem, expected in zip(stems, self.expected.values(), strict=True):
            path = self.root / f"exported/{stem}_meas-graphlearning_relmat.tsv"
            table = pd.read_csv(path, sep="\t", index_col="Node", float_precision="round_trip")
            self.assertEqual((list(table.index), list(table.columns)), (NAMES, NAMES))
            np.testing.assert_array_equal(table.to_numpy(), expected)
            told = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            self.assertEqual((told["Directed"], told["Weighted"], told["NonNegative"]), (False, True, True))

    def test_what_scipy_writes_is_learned_from(self):
        views = {pathlib.Path(file).stem: pd.read_csv(self.root / file, float_precision="round_trip").to_numpy() for file in self.files}
        nodes = np.empty(len(NAMES), dtype=object)
        nodes[:] = NAMES
        named = {name.replace("-", "_"): x for name, x in views.items()}
        scipy.io.savemat(self.root / "all.mat", {**named, "nodes": nodes}, do_compression=True)
        congraph("learn", "all.mat", "--alpha", 0.05, "--beta", 0.05, "-o", "from-mat", cwd=self.root)
        with np.load(self.root / "from-mat/matrices.npz") as found:
            np.testing.assert_array_equal(found["views"], self.views)
            np.testing.assert_array_equal(found["consensus"], self.expected["consensus"])


if __name__ == "__main__":
    unittest.main()
