"""The reports of the gallery: open data that are part of the repository."""

import pathlib
import warnings

import congraph


def write(folder, root):
    """Writes the four reports into a folder."""
    for name, make in (("eeg", eeg), ("genes", genes), ("economy", economy), ("months", months)):
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


def economy(root):
    import numpy
    import pandas

    table = pandas.read_csv(root / "examples/data/economy/macrodata.csv")
    levels = {
        "realgdp": "GDP",
        "realcons": "consumption",
        "realinv": "investment",
        "realgovt": "government",
        "realdpi": "income",
        "cpi": "prices",
        "m1": "money",
        "pop": "population",
    }
    rates = {"tbilrate": "bill rate", "unemp": "unemployment"}
    # Growth from quarter to quarter; a rate changes by so many points.
    changes = numpy.log(table[list(levels)]).diff().rename(columns=levels)
    changes = changes.join(table[list(rates)].diff().rename(columns=rates)).iloc[1:]
    periods = numpy.where(table.year[1:] < 1985, "1959 to 1984", "1985 to 2009")
    return congraph.ConsensusGraph(method="likelihood", signed=True).fit(changes, views=list(periods))


def months(root):
    import pandas

    table = pandas.read_csv(root / "examples/data/elnino/elnino.csv", index_col="YEAR")
    return congraph.ConsensusGraph().fit(table, views=["1950 to 1979" if year < 1980 else "1980 to 2010" for year in table.index])
