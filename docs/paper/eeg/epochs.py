"""Makes the epochs that `congraph-paper eeg-…` is run on, from the files of their publishers.

    python epochs.py eegmmidb FOLDER eegmmidb.npz     FOLDER holds S001R03.edf … S020R11.edf (runs 3, 7 and 11)
    python epochs.py uci FOLDER uci_nV.npz            FOLDER holds co2a0000364/co2a0000364.rd.000.gz …: the trials of
                                                      SMNI_CMI_TRAIN and SMNI_CMI_TEST together, of the 16 subjects below

Needs NumPy. Values are those of the files, as whole numbers: nothing is rounded, filtered or re-referenced.
"""

import gzip
import pathlib
import re
import sys

import numpy as np

UCI_SUBJECTS = (
    "co2a0000364 co2a0000365 co2a0000368 co2a0000369 co2a0000370 co2a0000371 co2a0000372 co2a0000375 "
    "co2c0000337 co2c0000338 co2c0000339 co2c0000340 co2c0000341 co2c0000342 co2c0000344 co2c0000345"
).split()


def read_edf(path):
    """Labels, channels × samples in digital steps (here 1 µV each), and (onset, text) of the annotations of an EDF+ file."""
    data = path.read_bytes()
    n_records, n_signals = int(data[236:244]), int(data[252:256])
    seconds = float(data[244:252])

    def field(before, width):
        start = 256 + n_signals * before
        return [data[start + k * width : start + (k + 1) * width].decode("ascii").strip() for k in range(n_signals)]

    labels, samples = field(0, 16), [int(n) for n in field(216, 8)]
    records = np.frombuffer(data, "<i2", n_records * sum(samples), 256 * (1 + n_signals)).reshape(n_records, -1)
    ends = np.cumsum(samples)
    noted = labels.index("EDF Annotations")
    kept = [k for k in range(n_signals) if k != noted]
    values = np.stack([records[:, ends[k] - samples[k] : ends[k]].reshape(-1) for k in kept])
    text = records[:, ends[noted] - samples[noted] : ends[noted]].tobytes()
    events = re.findall(rb"\+([0-9.]+)\x15[0-9.]*\x14([^\x14\x00]+)\x14", text)
    rate = samples[kept[0]] / seconds
    return [labels[k].strip(".") for k in kept], rate, values, [(float(onset), word.decode()) for onset, word in events]


def eegmmidb(folder):
    subjects = [f"S{k:03d}" for k in range(1, 21)]
    data = []
    for subject in subjects:
        trials = []
        for run in (3, 7, 11):
            names, rate, values, events = read_edf(folder / f"{subject}R{run:02d}.edf")
            for onset, word in events:
                start = round(onset * rate) - 80
                if word in ("T1", "T2") and 0 <= start and start + 240 <= values.shape[1]:
                    trials.append(values[:, start : start + 240])
        data.append(np.stack(trials[:34]))
    return dict(data_uV=np.stack(data), subjects=np.array(subjects), ch_names=np.array(names), sfreq=rate, tmin=-0.5)


def uci(folder):
    arrays = {}
    for subject in UCI_SUBJECTS:
        trials = []
        for path in sorted((folder / subject).glob("*.rd.*")):
            text = gzip.decompress(path.read_bytes()).decode("ascii")
            rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
            names = list(dict.fromkeys(row[1] for row in rows))
            # Three decimals of a microvolt: whole nanovolts.
            trials.append(np.array([round(1000 * float(row[3])) for row in rows], np.int32).reshape(len(names), 256))
        arrays[subject] = np.stack(trials)
    return dict(arrays, ch_names=np.array(names), sfreq=256.0)


if __name__ == "__main__":
    made, folder, out = sys.argv[1:]
    np.savez_compressed(out, **{"eegmmidb": eegmmidb, "uci": uci}[made](pathlib.Path(folder)))
