"""MNE's epochs as views: electrodes are nodes, samples of all epochs are signals, epochs are blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._errors import CongraphDataError
from ._views import Views, numbered

__all__ = ["from_epochs"]


def from_epochs(
    epochs: Any,
    *,
    picks: Any = "eeg",
    tmin: float | None = None,
    tmax: float | None = None,
    bads: str = "drop",
) -> Views:
    """Views of MNE `Epochs`, one per recording.

    Parameters
    ----------
    epochs : mapping from names to Epochs, list of Epochs, or Epochs
        One view each.
    picks : str or list, default "eeg"
        Which channels, as `Epochs.get_data` takes them. Where a CSD transform has made ``csd`` of all electrodes, ``"eeg"`` means these.
    tmin, tmax : float, optional
        The window in seconds, from `tmin` to before `tmax`: consecutive windows share no sample.
    bads : {"drop", "mask", "keep"}
        What to do with channels in ``info["bads"]``: leave out of all views those that are bad in any; leave each out of the views
        in which it is bad alone (fit with ``missing="mask"``); or keep them.

    Returns
    -------
    Views
        In microvolts, samples × channels, with the epochs as blocks and the positions of the channels.

    Examples
    --------
    >>> import mne, numpy as np, congraph
    >>> info = mne.create_info(["Fz", "Cz", "Pz"], 100.0, "eeg")
    >>> signals = np.random.default_rng(0).normal(size=(4, 3, 50)) * 1e-6
    >>> congraph.from_epochs({"sub-01": mne.EpochsArray(signals, info, verbose=False)}, tmax=0.2)
    Views(sub-01: 80 × 3)
    """
    if bads not in ("drop", "mask", "keep"):
        raise ValueError(f'bads is {bads!r}; it must be "drop", "mask" or "keep"')
    if isinstance(epochs, Mapping):
        of_view = {str(name): one for name, one in epochs.items()}
    else:
        listed = list(epochs) if isinstance(epochs, (list, tuple)) else [epochs]
        of_view = dict(zip(numbered(len(listed)), listed, strict=True))
    if not of_view:
        raise ValueError("there are no Epochs: give a dict of them, `{name: epochs}`, or a list")
    for name, one in of_view.items():
        _check(name, one, picks)
    everywhere = {name for one in of_view.values() for name in one.info["bads"]}
    arrays, nodes, blocks = {}, {}, {}
    positions: dict[str, list[float]] = {}
    empty: list[str] = []
    for name, one in of_view.items():
        chosen = one.copy().load_data()
        if len(chosen) == 0:
            empty.append(name)
            continue
        chosen.pick(_kind(one, picks), exclude=())
        dropped = {"drop": everywhere, "mask": set(one.info["bads"]), "keep": set()}[bads]
        channels = [channel for channel in chosen.ch_names if channel not in dropped]
        if not channels:
            raise CongraphDataError([_no_channel(name, len(chosen.ch_names), bads)])
        values = chosen.get_data(picks=channels) * 1e6
        values = values[:, :, _window(chosen.times, tmin, tmax)]
        n_epochs, n_channels, n_times = values.shape
        arrays[name] = np.ascontiguousarray(values.transpose(0, 2, 1).reshape(n_epochs * n_times, n_channels))
        nodes[name] = channels
        blocks[name] = np.repeat([str(k) for k in chosen.selection.tolist()], n_times).tolist()
        positions |= _positions(chosen, channels)
    if empty:
        raise CongraphDataError([_no_epoch(name) for name in empty])
    views = Views(arrays, nodes=nodes, blocks=blocks, positions=positions or None)
    views._electrodes = True
    return views


def _no_epoch(name: str) -> dict[str, str | None]:
    """The error of a view without epochs."""
    return {
        "code": "E05",
        "what": f"view `{name}` has no epoch",
        "why": "there is nothing to learn from",
        "hint": "leave the view out, or keep more epochs",
        "view": name,
        "node": None,
    }


def _no_channel(name: str, n_channels: int, bads: str) -> dict[str, str | None]:
    """The error of a view whose channels are all bad."""
    whose = "in this view or in another" if bads == "drop" else "in this view"
    return {
        "code": "E05",
        "what": f"all {n_channels} channels of view `{name}` are bad {whose}",
        "why": "there is nothing to learn from",
        "hint": "leave the view out, or "
        + ('leave bad channels out only where they are bad (`bads="mask"`), or ' if bads == "drop" else "")
        + 'keep them (`bads="keep"`)',
        "view": name,
        "node": None,
    }


def _check(name: str, one: Any, picks: Any) -> None:
    """Complains about what is not epochs of such channels."""
    if not (hasattr(one, "get_data") and hasattr(one, "info") and hasattr(one, "selection")):
        kind = type(one).__name__
        advice = ": cut it first, for example with `mne.make_fixed_length_epochs`" if hasattr(one, "info") else ""
        raise TypeError(f"view {name!r} is not MNE Epochs but {kind}{advice}")
    if isinstance(picks, str) and _kind(one, picks) not in one and picks in ("eeg", "meg", "mag", "grad", "seeg", "ecog", "csd", "dbs"):
        there = ", ".join(sorted(set(one.get_channel_types())))
        raise ValueError(f"view {name!r} has no channel of type {picks!r}; it has {there}: choose them with `picks=`")


def _kind(one: Any, picks: Any) -> Any:
    """After a CSD transform electrodes are no longer of type ``eeg``."""
    return "csd" if isinstance(picks, str) and picks == "eeg" and "eeg" not in one and "csd" in one else picks


def _window(times: Any, tmin: float | None, tmax: float | None) -> Any:
    """Half-open; times are multiples of a sampling interval up to rounding."""
    near = 1e-9 + 1e-6 * (times[1] - times[0] if len(times) > 1 else 1.0)
    inside = np.ones(len(times), dtype=bool)
    if tmin is not None:
        inside &= times >= tmin - near
    if tmax is not None:
        inside &= times < tmax - near
    if not inside.any():
        raise ValueError(f"no sample is from {tmin} to {tmax} s: the epochs are from {times[0]:g} to {times[-1]:g} s")
    return inside


def _positions(epochs: Any, channels: list[str]) -> dict[str, list[float]]:
    montage = epochs.get_montage()
    if montage is None:
        return {}
    found = montage.get_positions()["ch_pos"]
    return {name: [float(x) for x in found[name]] for name in channels if name in found and np.isfinite(found[name]).all()}
