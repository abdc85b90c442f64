"""One folder format for both faces: written by either, read by both, equal to the bit."""

import datetime
import filecmp
import json
import math
import pathlib
import pickle
import subprocess

import numpy as np
import pytest

import congraph
from congraph import ConsensusGraph, ConsensusGraphCV, JointGraphicalLasso, SingleGraph

ROOT = pathlib.Path(__file__).parents[2]
ATTRIBUTES = ["graphs_", "edge_index_", "weights_", "densities_"]


def same(one, other):
    for name in ATTRIBUTES:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert (one.consensus_weights_ is None) == (other.consensus_weights_ is None)
    if one.consensus_weights_ is not None:
        np.testing.assert_array_equal(one.consensus_weights_, other.consensus_weights_)
    assert one.node_names_ == other.node_names_ and one.view_names_ == other.view_names_
    for name in ("relative_gap_", "objective_", "dual_objective_", "converged_", "n_iter_", "density_", "similarity_"):
        assert getattr(one, name) == getattr(other, name), name
    assert [str(w) for w in one.warnings_] == [str(w) for w in other.warnings_]


MODELS = {
    "smooth": ConsensusGraph(density=0.2, similarity=0.85),
    "l2": ConsensusGraph(alpha=0.1, beta=0.05, gamma=0.01, penalty="l2"),
    "signed": ConsensusGraph(density=0.2, signed=True),
    "chain": ConsensusGraph(alpha=0.1, beta=0.05, coupling="chain"),
    "pairs": ConsensusGraph(alpha=0.1, beta=0.05, candidates="knn:5", edge_costs={("n01", "n02"): float("inf"), ("n03", "n04"): -0.1}),
    "listed": ConsensusGraph(alpha=0.1, beta=0.05, candidates=[(0, 1), (1, 2), (0, 2), (3, 4)], missing="error"),
    "spectrum": ConsensusGraph(density=0.2, spectrum=0.5),
    "spectrum-signed": ConsensusGraph(density=0.2, spectrum=0.5, signed=True),
    "likelihood": ConsensusGraph(method="likelihood"),
    "likelihood-1": ConsensusGraph(method="likelihood", filter=1),
    "likelihood-2": ConsensusGraph(method="likelihood", filter=2),
    "likelihood-signed": ConsensusGraph(method="likelihood", filter=1, signed=True),
    "single": SingleGraph(density=0.2),
    "jgl": JointGraphicalLasso(0.2, 0.03),
    "jgl-group": JointGraphicalLasso(0.2, 0.03, coupling="group", edges="negative"),
    "chosen": ConsensusGraphCV((0.1, 0.3), halvings=1),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_python_saves_it_loads(name, data, tmp_path):
    from sklearn.base import clone

    model = clone(MODELS[name]).fit(data.views)
    folder = model.save(tmp_path / "out")
    again = congraph.load(folder)
    assert type(again) is type(model)
    same(again, model)
    assert {k: v for k, v in again.get_params().items() if k != "candidates"} == {k: v for k, v in model.get_params().items() if k != "candidates"}
    if hasattr(model, "precisions_"):
        np.testing.assert_array_equal(again.precisions_, model.precisions_)
    for attribute in ("alpha_", "beta_", "gamma_", "filter_", "threshold_", "aic_", "best_params_", "path_choice_"):
        assert getattr(again, attribute, None) == getattr(model, attribute, None)
    # And a second time: the same files.
    again.save(tmp_path / "again")
    differ(tmp_path / "out", tmp_path / "again", 0)
    assert str(again).splitlines()[1:3] == str(model).splitlines()[1:3]


def differ(one, other, n, ignore=()):
    names = sorted(path.name for path in one.iterdir() if path.name not in ("report.html", *ignore))
    assert names == sorted(path.name for path in other.iterdir() if path.name not in ("report.html", *ignore))
    _, unequal, broken = filecmp.cmpfiles(one, other, names, shallow=False)
    assert len(unequal) == n and not broken, unequal


COMMANDS = {
    "smooth": ["--density", "0.2", "--similarity", "0.85"],
    "l2": ["--alpha", "0.1", "--beta", "0.05", "--gamma", "0.01", "--penalty", "l2"],
    "signed": ["--density", "0.2", "--signed"],
    "chain": ["--alpha", "0.1", "--beta", "0.05", "--coupling", "chain"],
    "spectrum": ["--density", "0.2", "--spectrum", "0.5"],
    "spectrum-signed": ["--density", "0.2", "--spectrum", "0.5", "--signed"],
    "pairwise": ["--alpha", "0.1", "--beta", "0.05", "--coupling", "pairwise"],
    "squared-l2": ["--alpha", "0.1", "--beta", "0.05", "--penalty", "squared-l2"],
    "linf": ["--alpha", "0.1", "--beta", "0.05", "--penalty", "linf"],
    "huber": ["--alpha", "0.1", "--beta", "0.05", "--penalty", "huber"],
    "hubs": ["--alpha", "0.1", "--beta", "0.05", "--penalty", "hubs", "--tol", "1e-4"],
    "admm": ["--alpha", "0.1", "--beta", "0.05", "--solver", "admm", "--tol", "1e-5"],
    "filter-1": ["--method", "likelihood", "--filter", "1"],
    "filter-2": ["--method", "likelihood", "--filter", "2"],
    "filter-1-signed": ["--method", "likelihood", "--filter", "1", "--signed"],
    "likelihood-l2": ["--method", "likelihood", "--penalty", "l2", "--similarity", "0.9"],
    "knn": ["--alpha", "0.1", "--beta", "0.05", "--candidates", "knn:5"],
    "likelihood": ["--method", "likelihood"],
    "single": ["--single", "--density", "0.2"],
    "jgl-fused": ["--method", "jgl-fused", "--lambda1", "0.2", "--lambda2", "0.03"],
    "jgl-group": ["--method", "jgl-group", "--lambda1", "0.2", "--lambda2", "0.03"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_what_the_command_line_writes_python_loads_and_writes_back(name, command, data, tmp_path):
    for view, array in data.views.items():
        np.savetxt(tmp_path / f"{view}.csv", array, delimiter=",", header=",".join(data.truth.node_names_), comments="", fmt="%.17g")
    files = [str(tmp_path / f"{view}.csv") for view in data.views]
    subprocess.run([command, "learn", *files, *COMMANDS[name], "-o", str(tmp_path / "out"), "--quiet"], check=True, cwd=tmp_path, capture_output=True)
    model = congraph.load(tmp_path / "out")
    with np.load(tmp_path / "out" / "matrices.npz") as stored:
        np.testing.assert_array_equal(model.graphs_, stored["views"])
        if "consensus" in stored:
            np.testing.assert_array_equal(model.consensus_, stored["consensus"])
    model.save(tmp_path / "back")
    differ(tmp_path / "out", tmp_path / "back", 0)
    # Every command goes on from there.
    subprocess.run([command, "communities", str(tmp_path / "back"), "--runs", "2", "--quiet"], check=True, capture_output=True)
    if not isinstance(model, JointGraphicalLasso):
        # The same fit in Python: the same numbers.
        fitted = type(model)(**model.get_params()).fit(data.views)
        np.testing.assert_allclose(fitted.graphs_, model.graphs_, atol=1e-7)


def write_views(views, nodes, folder):
    """One file per view, and what the commands below ask for beside them."""
    for view, array in views.items():
        lacks = [3] if view == "view2" and folder.name.startswith("masked") else []
        kept = [k for k in range(len(nodes)) if k not in lacks]
        table = {"delimiter": ",", "header": ",".join(nodes[k] for k in kept), "comments": "", "fmt": "%.17g"}
        np.savetxt(folder / f"{view}.csv", np.asarray(array)[:, kept], **table)
    labels = [(view, "ab"[k % 2], f"s{k // 2}") for k, view in enumerate(views)]
    rows = ["\t".join(row) for row in [("view", "group", "subject"), *labels]]
    (folder / "labels.tsv").write_text("\n".join(rows) + "\n")
    angle = np.linspace(0, 6, len(nodes))
    places = [f"{node},{10 * math.cos(a)!r},{50 * math.sin(a)!r}" for node, a in zip(nodes, angle.tolist(), strict=True)]
    (folder / "places.csv").write_text("\n".join(["name,lon,lat", *places]) + "\n")
    return [f"{view}.csv" for view in views]


#: How a folder was learned, and what can be asked of it afterwards: stability, communities, comparison, projection.
ASKED = {
    "signed": (["--density", "0.2", "--signed"], "SCDP"),
    "chain": (["--alpha", "0.1", "--beta", "0.05", "--coupling", "chain"], "SC"),
    "masked": (["--density", "0.2", "--missing", "mask"], "SCDP"),
    "masked-likelihood": (["--method", "likelihood", "--missing", "mask", "--blocks", "9"], "SCDP"),
    "subjects": (["--alpha", "0.1", "--beta", "0.05", "--subjects", "labels.tsv"], "SC"),
    "likelihood": (["--method", "likelihood", "--blocks", "9"], "SCDP"),
    "likelihood-signed": (["--method", "likelihood", "--filter", "1", "--signed", "--blocks", "9"], "SCDP"),
    "positions": (["--density", "0.2", "--positions", "places.csv"], "SCDP"),
    "spectrum": (["--density", "0.2", "--spectrum", "0.5"], "SCDP"),
    "single": (["--single", "--density", "0.2"], "CD"),
    "jgl-fused": (["--method", "jgl-fused", "--lambda1", "0.2", "--lambda2", "0.03"], "CD"),
    "jgl-group": (["--method", "jgl-group", "--lambda1", "0.2", "--lambda2", "0.03"], "CD"),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_folder_with_all_that_was_asked_of_it(name, command, tmp_path):
    """Whatever the command line put into a folder comes back from Python, byte by byte."""
    folder = tmp_path / name
    folder.mkdir()
    data = congraph.simulate(n_nodes=12, n_views=8, n_signals=90, edge_probability=0.2, seed=5)
    files = write_views(data.views, data.truth.node_names_, folder)
    words, asked = ASKED[name]
    last = files.pop() if "P" in asked else None
    if last is not None:
        labels = (folder / "labels.tsv").read_text().splitlines(keepends=True)
        (folder / "labels.tsv").write_text("".join(labels[:-1]))
    calls = {
        "S": ["stability", "out", "--pairs", "2", "--blocks", "9"],
        "C": ["communities", "out", "--runs", "3"],
        "D": ["compare", "out", "--labels", "labels.tsv:group", "--permutations", "50"],
        "P": ["project", "out", "--view", f"new={last}", "-o", "new"],
    }
    for call in [["learn", *files, *words, "-o", "out"], *(calls[letter] for letter in asked)]:
        done = subprocess.run([command, *call, "--quiet"], capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0, done.stderr
    for made, found in (("out", {"S": "stability_", "C": "communities_", "D": "comparison_"}), ("new", {})):
        if not (folder / made).is_dir():
            continue
        model = congraph.load(folder / made)
        assert ("projected" in str(model)) == (made == "new")
        if made == "new":
            with pytest.raises(ValueError, match="another fit"):
                model.stability(data.views)
        assert all(hasattr(model, attribute) for letter, attribute in found.items() if letter in asked)
        if "C" in asked and made == "out":
            there, here = model.communities_, model.communities(runs=3)
            for part in ("views", "consensus", "group"):
                np.testing.assert_array_equal(getattr(there, part), getattr(here, part), err_msg=part)
        model.save(folder / f"{made}-back")
        differ(folder / made, folder / f"{made}-back", 0)
        # And once more through Python, with a report that tells all of it.
        congraph.load(folder / f"{made}-back").save(folder / f"{made}-again", report=True)
        differ(folder / made, folder / f"{made}-again", 0)
        page = (folder / f"{made}-again" / "report.html").read_text()
        assert ("Who differs" in page) == (made == "out" and "D" in asked)


@pytest.mark.parametrize("words", [[], ["--csd"], ["--method", "likelihood"]], ids=["smooth", "csd", "likelihood"])
def test_recordings_on_the_command_line(words, command, tmp_path):
    pytest.importorskip("mne")
    files = [str(path) for path in sorted((ROOT / "examples/data/eeg").glob("*.edf"))[:3]]
    call = ["eeg", *files, "--subject-pattern", "{subject}R*", "--events", "T1,T2", "--band", "4:7", "--window", "0:0.5", *words, "-o", "out"]
    done = subprocess.run([command, *call, "--quiet"], capture_output=True, text=True, cwd=tmp_path)
    if done.returncode == 2 and "unrecognized subcommand" in done.stderr:
        pytest.skip("this command line has no `eeg`")
    assert done.returncode == 0, done.stderr
    model = congraph.load(tmp_path / "out")
    assert len(model.positions_) == 32 and model.view_names_ == ["S001", "S002", "S003"]
    model.save(tmp_path / "back")
    differ(tmp_path / "out", tmp_path / "back", 0)


def test_nodes_without_a_place_leave_the_others_theirs(data, tmp_path):
    nodes = data.truth.node_names_
    places = {node: [float(k), float(k * k)] for k, node in enumerate(nodes) if k != 4}
    told = congraph.Views(dict(data.views), nodes=nodes, positions=places)
    model = ConsensusGraph(alpha=0.1, beta=0.05).fit(told)
    again = congraph.load(model.save(tmp_path / "out"))
    assert again.positions_ == places
    assert (tmp_path / "out" / "nodes.tsv").read_text().splitlines()[5].endswith("\t\t")
    again.save(tmp_path / "back", report=True)
    differ(tmp_path / "out", tmp_path / "back", 0)


def test_tune_on_the_command_line(command, data, tmp_path):
    for view, array in data.views.items():
        np.savetxt(tmp_path / f"{view}.csv", array, delimiter=",", header=",".join(data.truth.node_names_), comments="", fmt="%.17g")
    files = [str(tmp_path / f"{view}.csv") for view in data.views]
    words = ["--density", "0.1:0.2", "--similarity", "0.85:0.9", "--halvings", "1", "-o", str(tmp_path / "out"), "--quiet"]
    subprocess.run([command, "tune", *files, *words], check=True, capture_output=True)
    congraph.load(tmp_path / "out").save(tmp_path / "back")
    differ(tmp_path / "out", tmp_path / "back", 0)


def test_masks_subjects_and_positions_come_along(data, tmp_path):
    views = {name: np.array(array) for name, array in data.views.items()}
    views["view2"][:, 3] = np.nan
    nodes = data.truth.node_names_
    places = {node: [float(k), float(k * k), 1.0] for k, node in enumerate(nodes)}
    told = congraph.Views(views, nodes=nodes, positions=places)
    model = ConsensusGraph(alpha=0.1, beta=0.05, missing="mask").fit(told)
    again = congraph.load(model.save(tmp_path / "out"))
    np.testing.assert_array_equal(again.present_, model.present_)
    assert again.positions_ == places
    of_subjects = ConsensusGraph(alpha=0.1, beta=0.05).fit(data.views, subjects=["a", "a", "b", "b"])
    again = congraph.load(of_subjects.save(tmp_path / "subjects"))
    np.testing.assert_array_equal(again.subjects_, of_subjects.subjects_)
    assert again.subject_names_ == ["a", "b"]


def test_a_loaded_model_goes_on(model, data, tmp_path):
    again = congraph.load(model.save(tmp_path / "out", report=True))
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000
    np.testing.assert_array_equal(again.transform(data.views), model.transform(data.views))
    assert again.score(data.views) == model.score(data.views)
    again.report(tmp_path / "again.html")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(again)).graphs_, model.graphs_)
    # A new fit is one of Python's.
    again.fit(data.views)
    assert json.loads((again.save(tmp_path / "new") / "python.json").read_text())["class"] == "ConsensusGraph"


@pytest.mark.parametrize("duration", [np.timedelta64(36000, "s"), np.timedelta64(10 * 3600 * 10**9, "ns"), datetime.timedelta(hours=10)])
def test_durations_are_kept(duration, data, tmp_path):
    pandas = pytest.importorskip("pandas")
    hours = pandas.date_range("2024-01-01", periods=80, freq="h")
    frames = {name: pandas.DataFrame(array, index=hours) for name, array in data.views.items()}
    model = ConsensusGraphCV(0.2, 0.9, halvings=1, blocks=duration).fit(frames)
    again = congraph.load(model.save(tmp_path / "out"))
    assert again.blocks == "36000s"
    same(again.fit(frames), model)


def test_what_cannot_be_saved_or_loaded(model, data, tmp_path):
    with pytest.raises(FileNotFoundError, match="congraph learn -o FOLDER"):
        congraph.load(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(congraph.CongraphDataError):
        congraph.load(tmp_path / "empty")
    model.save(tmp_path / "out")
    with pytest.raises(OSError, match="overwrite=True") as caught:
        model.save(tmp_path / "out")
    assert "--force" not in str(caught.value)
    model.save(tmp_path / "out", overwrite=True)
    text = (tmp_path / "out" / "edges.tsv").read_text()
    (tmp_path / "out" / "edges.tsv").write_text(text.replace("0.", "1.", 1))
    with pytest.raises(congraph.CongraphDataError):
        congraph.load(tmp_path / "out")

    class Mine:
        def value(self, differences):
            return 0.5 * (differences**2).sum()

        def prox(self, differences, step):
            return differences / (1 + step)

    mine = ConsensusGraph(alpha=0.1, beta=0.1, penalty=Mine(), tol=1e-4).fit(data.views)
    with pytest.raises(ValueError, match="pickle"):
        mine.save(tmp_path / "mine")


@pytest.fixture(scope="module")
def asked(command, tmp_path_factory):
    """A folder of the command line with all that can be asked of one, and the same fit in Python."""
    folder = tmp_path_factory.mktemp("asked")
    data = congraph.simulate(n_nodes=12, n_views=8, n_signals=90, edge_probability=0.2, seed=5)
    nodes = data.truth.node_names_
    for view, array in data.views.items():
        np.savetxt(folder / f"{view}.csv", array, delimiter=",", header=",".join(nodes), comments="", fmt="%.17g")
    labels = {view: "ab"[k % 2] for k, view in enumerate(data.views)}
    (folder / "groups.tsv").write_text("view\tgroup\n" + "".join(f"{view}\t{group}\n" for view, group in labels.items()))
    files = [f"{view}.csv" for view in data.views]
    for words in (
        ["learn", *files, "--density", "0.2", "--similarity", "0.8", "-o", "plain"],
        ["learn", *files, "--density", "0.2", "--similarity", "0.8", "-o", "out"],
        ["stability", "out", "--pairs", "4", "--blocks", "9"],
        ["communities", "out", "--runs", "7"],
        ["compare", "out", "--labels", "groups.tsv:group", "--permutations", "200"],
    ):
        subprocess.run([command, *words, "--quiet"], check=True, capture_output=True, cwd=folder)
    model = ConsensusGraph(density=0.2, similarity=0.8).fit(congraph.Views(dict(data.views), nodes=nodes))
    return folder, model, congraph.Views(dict(data.views), nodes=nodes), labels


def test_what_was_asked_of_a_folder_is_loaded_with_it(asked):
    folder, model, views, labels = asked
    again = congraph.load(folder / "out")
    s, there = model.stability(views, pairs=4, blocks=9), again.stability_
    assert (s.units, s.pairs, s.support, s.bounds, s.fingerprint) == (there.units, there.pairs, there.support, there.bounds, there.fingerprint)
    for one, other in ((s.edges, there.edges), (s.views, there.views)):
        assert list(one) == list(other)
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)
    assert str(there) == str(s) and s.support in str(again)
    c, there = model.communities(runs=7), again.communities_
    for name in ("views", "consensus", "group", "nmi", "coclassification", "view_modularity"):
        np.testing.assert_array_equal(getattr(there, name), getattr(c, name), err_msg=name)
    assert (there.agreed, there.consensus_modularity) == (c.agreed, c.consensus_modularity)
    d, there = model.compare(labels, permutations=200), again.comparison_
    for name in ("edges", "components", "nodes", "measures", "pairs"):
        one, other = getattr(d, name), getattr(there, name)
        assert list(one.columns) == list(other.columns) or name == "pairs"
        for column in other.columns:
            np.testing.assert_array_equal(one[column], other[column], err_msg=f"{name} {column}")
    assert (d.groups, d.statistic, d.permutations, d.exact, d.threshold) == (
        there.groups,
        there.statistic,
        there.permutations,
        there.exact,
        there.threshold,
    )
    assert there.null is None


def test_what_was_asked_is_saved_as_it_was(asked, command, tmp_path):
    folder, _, views, labels = asked
    again = congraph.load(folder / "out")
    again.save(tmp_path / "back")
    differ(folder / "out", tmp_path / "back", 0)
    # The command line still takes all of it for its own.
    subprocess.run([command, "report", str(tmp_path / "back"), "--quiet"], check=True, capture_output=True)
    page = again.report(tmp_path / "all.html").read_text()
    plain = congraph.load(folder / "plain").report(tmp_path / "plain.html").read_text()
    assert "Who differs" in page and "Who differs" not in plain
    # Without it a folder has none of it, and a new fit has none either.
    bare = congraph.load(folder / "plain")
    assert not any(hasattr(bare, name) for name in ("stability_", "communities_", "comparison_"))
    assert not any(hasattr(again.fit(views), name) for name in ("stability_", "communities_", "comparison_"))
    # Halved anew in Python, the new figures take the place of the former.
    other = congraph.load(folder / "out")
    found = other.stability(views, pairs=2)
    again = congraph.load(other.save(tmp_path / "anew"))
    assert again.comparison_.groups == ["a", "b"] and again.stability_.pairs == 2
    np.testing.assert_array_equal(again.stability_.edges["frequency"], found.edges["frequency"])


def test_what_was_asked_in_python_is_saved_as_the_command_line_does(asked, command, tmp_path):
    """The same columns and the same record, but for the version's own words."""
    folder, model, views, _ = asked
    model.stability(views, pairs=4, blocks=9)
    model.save(tmp_path / "out")
    subprocess.run([command, "communities", str(tmp_path / "out"), "--runs", "2", "--quiet"], check=True, capture_output=True)
    for name in ("edges.tsv", "edges_long.tsv"):
        assert (tmp_path / "out" / name).read_bytes() == (folder / "out" / name).read_bytes(), name
    here, there = (json.loads((one / "stability.json").read_text()) for one in (tmp_path / "out", folder / "out"))
    assert list(here) == list(there)
    assert {**here, "run": None, "absent": None} == {**there, "run": None, "absent": None}
    again = congraph.load(tmp_path / "out")
    assert str(again.stability_) == str(model.stability_)
    again.save(tmp_path / "back")
    differ(tmp_path / "out", tmp_path / "back", 0)
    # Another fit has none of it.
    model.fit(views)
    assert "stability.json" not in {path.name for path in model.save(tmp_path / "fresh").iterdir()}


def test_what_was_asked_of_another_fit_is_refused(asked, tmp_path):
    import shutil

    folder, *_ = asked
    shutil.copytree(folder / "out", tmp_path / "mixed")
    text = (tmp_path / "mixed" / "compare.json").read_text()
    run = json.loads(text)["run"]
    (tmp_path / "mixed" / "compare.json").write_text(text.replace(run, "0" * len(run)))
    with pytest.raises(congraph.CongraphDataError, match="compare.json"):
        congraph.load(tmp_path / "mixed")


def test_lists_are_lists_again(data, tmp_path):
    for given in (["n01", "n02"], ("n01", "n02")):
        model = ConsensusGraph(density=0.2, drop_nodes=given).fit(data.views)
        again = congraph.load(model.save(tmp_path / type(given).__name__))
        assert again.drop_nodes == given and type(again.drop_nodes) is type(given)
        again.save(tmp_path / f"again-{type(given).__name__}")
        differ(tmp_path / type(given).__name__, tmp_path / f"again-{type(given).__name__}", 0)
