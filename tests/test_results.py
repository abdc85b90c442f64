"""Result files as others read them: NumPy, csv and json alone, with the objective computed anew from the data."""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

CONGRAPH = os.environ["CONGRAPH"]


def congraph(*words, cwd):
    done = subprocess.run([CONGRAPH, *map(str, words)], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"congraph {words}: {done.returncode}\n{done.stderr}")
    return done.stdout


def read_tsv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        congraph("simulate", "--nodes", 30, "--views", 4, "--signals", "60,80,100,120", "-o", "sim", cwd=cls.root)
        cls.files = sorted((cls.root / "sim").glob("*.csv"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def learn(self, *words, out):
        text = congraph("learn", *self.files, "--json", "-o", out, *words, cwd=self.root)
        return json.loads(text), self.root / out

    def distances(self, raw=False):
        """Distances as documented: z-scored, means over samples, divided by the largest; or raw sums."""
        per_view = []
        for file in self.files:
            x = np.loadtxt(file, delimiter=",", skiprows=1)
            if not raw:
                x = (x - x.mean(axis=0)) / x.std(axis=0)
            d = ((x[:, :, None] - x[:, None, :]) ** 2).sum(axis=0)
            per_view.append(d if raw else d / len(x))
        d = np.array(per_view)
        return (d, 1.0) if raw else (d / d.max(), d.max())

    def objective(self, d, views, consensus, s):
        upper = np.triu_indices(views.shape[1], 1)
        total = 0.0
        for d_i, w_i in zip(d, views, strict=True):
            total += (d_i[upper] * w_i[upper]).sum()
            # ‖L‖_F² of the Laplacian itself, not a formula for it.
            laplacian = np.diag(w_i.sum(axis=0)) - w_i
            total += s["alpha"] * (laplacian**2).sum()
        differences = np.array([w_i[upper] - consensus[upper] for w_i in views])
        penalty = {
            "l1": lambda v: np.abs(v).sum(),
            "l2": lambda v: np.sqrt((v**2).sum(axis=0)).sum(),
            "squared-l2": lambda v: (v**2).sum(),
        }[s["penalty"]]
        return total + s["beta"] * penalty(differences) + s["gamma"] * consensus[upper].sum()

    def test_objective_and_feasibility_are_what_the_summary_says(self):
        for number, (penalty, gamma) in enumerate([("l1", 0.0), ("l2", 0.01), ("l2", 0.0), ("squared-l2", 0.02)]):
            for solver in ["newton", "admm"]:
                with self.subTest(penalty=penalty, gamma=gamma, solver=solver):
                    options = ["--alpha", 0.05, "--beta", 0.04, "--gamma", gamma]
                    summary, out = self.learn(
                        *options, "--penalty", penalty, "--solver", solver, out=f"out{number}{solver}"
                    )
                    arrays = np.load(out / "matrices.npz")
                    views, consensus = arrays["views"], arrays["consensus"]
                    self.assertEqual(views.shape, (4, 30, 30))
                    for w in [*views, consensus]:
                        np.testing.assert_array_equal(w, w.T)
                        self.assertTrue((w >= 0).all() and (np.diag(w) == 0).all())
                    np.testing.assert_allclose(views.sum(axis=(1, 2)), 60, rtol=1e-12)
                    d, divisor = self.distances()
                    self.assertAlmostEqual(summary["distance_divisor"] / divisor, 1, places=12)
                    ours = self.objective(d, views, consensus, summary)
                    self.assertLess(abs(ours / summary["objective"] - 1), 1e-11)
                    self.assertTrue(summary["converged"])
                    gap = (summary["objective"] - summary["dual_objective"]) / abs(summary["dual_objective"])
                    self.assertLess(gap, 1e-8)
                    self.assertGreater(gap, -1e-12)

    def test_views_that_lack_nodes_are_judged_by_what_they_have(self):
        """The objective anew from the files: NaN where a view lacks a node, and nothing of it counts."""
        lacking = {0: [3], 1: [3, 17], 2: [], 3: [8, 25]}
        files, signals = [], []
        for i, file in enumerate(self.files):
            x = np.loadtxt(file, delimiter=",", skiprows=1)
            x[:, lacking[i]] = np.nan
            signals.append(x)
            files.append(self.root / f"masked{i}.npy")
            np.save(files[-1], x)
        d = []
        for x in signals:
            z = (x - x.mean(axis=0)) / x.std(axis=0)
            d.append(((z[:, :, None] - z[:, None, :]) ** 2).mean(axis=0))
        d = np.array(d) / np.nanmax(d)
        upper = np.triu_indices(30, 1)
        for penalty, gamma in [("l1", 0.0), ("l2", 0.01)]:
            with self.subTest(penalty=penalty):
                words = ["--alpha", 0.05, "--beta", 0.04, "--gamma", gamma, "--penalty", penalty, "--missing", "mask"]
                out = f"masked-{penalty}"
                s = json.loads(congraph("learn", *files, *words, "--json", "-o", out, cwd=self.root))
                arrays = np.load(self.root / out / "matrices.npz")
                views, consensus, present = arrays["views"], arrays["consensus"], arrays["present"]
                for i, nodes in lacking.items():
                    self.assertEqual(np.flatnonzero(~present[i]).tolist(), nodes)
                    self.assertEqual(views[i][nodes].sum(), 0)
                np.testing.assert_allclose(views.sum(axis=(1, 2)), 2 * present.sum(axis=1), rtol=1e-12)
                has = present[:, :, None] & present[:, None, :]
                total = s["gamma"] * consensus[upper].sum()
                for d_i, w_i, has_i in zip(d, views, has, strict=True):
                    total += (d_i * w_i)[upper][has_i[upper]].sum()
                    laplacian = np.diag(w_i.sum(axis=0)) - w_i
                    total += s["alpha"] * (laplacian**2).sum()
                apart = np.where(has, views - consensus, 0)[:, upper[0], upper[1]]
                lengths = np.abs(apart).sum(axis=0) if penalty == "l1" else np.sqrt((apart**2).sum(axis=0))
                total += s["beta"] * lengths.sum()
                self.assertLess(abs(total / s["objective"] - 1), 1e-11)
                self.assertTrue(s["converged"])
                missing = [(row["view"], row["node"]) for row in read_tsv(self.root / out / "missing.tsv")]
                expected = [(f"masked{i}", str(node)) for i, nodes in lacking.items() for node in nodes]
                self.assertEqual(missing, expected)

    def test_raw_objective_of_the_paper(self):
        raw = ["--scale", "none", "--sample-norm", "sum", "--distance-norm", "none"]
        summary, out = self.learn("--alpha", 1.0, "--beta", 1.0, *raw, out="raw")
        arrays = np.load(out / "matrices.npz")
        d, _ = self.distances(raw=True)
        ours = self.objective(d, arrays["views"], arrays["consensus"], summary)
        self.assertLess(abs(ours / summary["objective"] - 1), 1e-11)

    def test_tables_and_matrices_agree_to_the_bit(self):
        summary, out = self.learn("--alpha", 0.05, "--beta", 0.04, out="agree")
        self.assertEqual(summary, json.loads((out / "summary.json").read_text(encoding="utf-8")))
        arrays = np.load(out / "matrices.npz")
        nodes = [row["name"] for row in read_tsv(out / "nodes.tsv")]
        names = [row["name"] for row in read_tsv(out / "views.tsv")]
        self.assertEqual(arrays["nodes"].tolist(), nodes)
        self.assertEqual(arrays["view_names"].tolist(), names)
        views = np.zeros_like(arrays["views"])
        for row in read_tsv(out / "edges_long.tsv"):
            i, a, b = names.index(row["view"]), nodes.index(row["source"]), nodes.index(row["target"])
            views[i, a, b] = views[i, b, a] = float(row["weight"])
        np.testing.assert_array_equal(views, arrays["views"])
        consensus = np.zeros_like(arrays["consensus"])
        for row in read_tsv(out / "edges.tsv"):
            a, b = nodes.index(row["source"]), nodes.index(row["target"])
            consensus[a, b] = consensus[b, a] = float(row["consensus"])
            self.assertEqual(int(row["n_views"]), int((views[:, a, b] > 0).sum()))
            self.assertAlmostEqual(float(row["mean_weight"]), views[:, a, b].mean(), places=14)
        np.testing.assert_array_equal(consensus, arrays["consensus"])
        upper = np.triu_indices(30, 1)
        weights = arrays["views"][:, upper[0], upper[1]]
        correlations = np.corrcoef(weights)[np.triu_indices(4, 1)]
        self.assertAlmostEqual(summary["similarity"]["value"], correlations.mean(), places=12)
        self.assertAlmostEqual(summary["density"]["views"], (weights > 0).mean(), places=14)

    def test_arrays_saved_by_numpy_give_the_same_graphs(self):
        _, out = self.learn("--alpha", 0.05, "--beta", 0.04, out="from_csv")
        expected = np.load(out / "matrices.npz")
        signals = {file.stem: np.loadtxt(file, delimiter=",", skiprows=1) for file in self.files}
        for name, x in signals.items():
            np.save(self.root / f"{name}.npy", np.asfortranarray(x))
        np.savez_compressed(self.root / "all.npz", **signals)
        arrays = sorted(self.root.glob("view*.npy"))
        for files, out in [(arrays, "from_npy"), ([self.root / "all.npz"], "from_npz")]:
            congraph("learn", *files, "--alpha", 0.05, "--beta", 0.04, "-o", out, cwd=self.root)
            learned = np.load(self.root / out / "matrices.npz")
            # Nodes are called 1, 2, … here, which sort in another order than n001, n002, …: not the same bits.
            np.testing.assert_allclose(learned["views"], expected["views"], atol=1e-9)
            np.testing.assert_allclose(learned["consensus"], expected["consensus"], atol=1e-9)


if __name__ == "__main__":
    unittest.main()
