"""The reports of the gallery: open data that are part of the repository or come with scikit-learn."""

import pathlib
import warnings

import congraph


def write(folder, root):
    """Writes the four reports into a folder."""
    for name, make in (("eeg", eeg), ("genes", genes), ("wine", wine), ("cells", cells)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make(root)
            model.report(pathlib.Path(folder) / f"{name}.html", communities=model.communities(runs=20))


def eeg(root):
    import mne

    def epochs(path):
        raw = mne.io.read_raw_edf(path, preload=True, verbose="error")
        mne.datasets.eegbci.standardize(raw)
        raw.set_montage("standard_1005", verbose="error")
        raw.set_eeg_reference("average", verbose="error")
        raw.filter(4, 7, method="iir", verbose="error")
        events, ids = mne.events_from_annotations(raw, verbose="error")
        cues = {name: ids[name] for name in ("T1", "T2") if name in ids}
        return mne.Epochs(raw, events, cues, tmin=0, tmax=0.5, baseline=None, preload=True, verbose="error")

    views = congraph.from_epochs({path.stem: epochs(path) for path in sorted((root / "examples/data/eeg").glob("*.edf"))}, tmin=0, tmax=0.5)
    model = congraph.ConsensusGraph(density=0.15, similarity=0.85).fit(views)
    model.stability(views, pairs=10)
    return model


def genes(root):
    import pandas

    table = pandas.read_csv(root / "examples/data/pbmc68k/expression.csv.gz")
    return congraph.ConsensusGraph(density=0.06, missing="mask").fit(table, views="cell_type")


def wine(root):
    from sklearn.datasets import load_wine

    found = load_wine(as_frame=True)
    return congraph.ConsensusGraph(method="likelihood", signed=True).fit(found.data, views=[f"grape {k + 1}" for k in found.target])


def cells(root):
    from sklearn.datasets import load_breast_cancer

    found = load_breast_cancer(as_frame=True)
    names = [str(found.target_names[k]) for k in found.target]
    return congraph.ConsensusGraph(density=0.15).fit(found.data, views=names)
