"""From raw files to arms: one small function for each kind of data set that the config knows."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lincon.data import arms, coupons
from lincon.data.arms import Arms
from lincon.data.fetch import KAGGLE, check_sha256, file_sha256, is_placeholder, steps_by_hand
from lincon.data.safe_pickle import read_float_arrays
from lincon.data.stand_in import FACTS, standin
from lincon.data.user_table import read_user_arms
from lincon.errors import UserError

Spec = Mapping[str, Any]


def extract(spec: Spec, raw: Sequence[Path], dataset: str) -> Arms:
    """The arms of a data set, from its config entry and its raw files.

    `spec["data"]` is the config's `auto`, `real` or `standin`. Kinds that are downloaded give
    their stand-in where that is asked for, or where a raw file could not be had (it is empty).
    """
    kind = spec["kind"]
    if kind not in KINDS:
        raise UserError(f"datasets.{dataset}.kind: {kind!r} is not one of {', '.join(KINDS)}")
    if kind in FACTS and _needs_standin(spec, raw):
        return standin(kind, dataset)
    return KINDS[kind](spec, [Path(path) for path in raw], dataset)


def _needs_standin(spec: Spec, raw: Sequence[Path]) -> bool:
    if spec.get("data") == "standin":
        return True
    empty = [Path(path) for path in raw if is_placeholder(path)]
    if empty and spec.get("data") == "real":
        address = _file(spec, empty[0].name).get("address")
        raise UserError(f"{empty[0]} is not there yet: {steps_by_hand(empty[0], address)}")
    return bool(empty)


def _edx_courses(spec: Spec, raw: Sequence[Path], dataset: str) -> Arms:
    """Mean: participants, min-max normalised; value: the share of them that was certified."""
    (name,) = spec["files"]
    path, sha256 = _checked(spec, raw, name)
    columns = ("Institution", "Course Number", "Short Title1", "Participants", "Certified")
    rows = _read_csv(path, columns)
    participants = np.array([_count(path, i, row, "Participants") for i, row in enumerate(rows)])
    certified = np.array([_count(path, i, row, "Certified") for i, row in enumerate(rows)])
    fewest, most = participants.min(initial=np.inf), participants.max(initial=0)
    if not 0 < fewest < most:
        raise UserError(f"{path}: courses with participants, and not all with as many, are needed")
    return arms.make(
        (participants - fewest) / (most - fewest),
        certified / participants,
        _distinct([" ".join(row[column] for column in columns[:3]) for row in rows]),
        where=str(path),
        first_row=2,
        **_real(dataset, _file(spec, name).get("address", ""), sha256),
    )


def _coupon_published(spec: Spec, raw: Sequence[Path], dataset: str) -> Arms:
    (name,) = spec["files"]
    if not _file(spec, name).get("sha256"):
        raise UserError(f"datasets.{dataset}.files.{name}: a pickle is read only with its sha256")
    path, sha256 = _checked(spec, raw, name)
    mean, value = read_float_arrays(path, ("reward_event_mean", "reward_value"))
    return arms.make(
        mean,
        value,
        [f"coupon {i}" for i in range(len(mean))],
        where=str(path),
        **_real(dataset, _file(spec, name).get("address", ""), sha256),
    )


def _coupon_raw(spec: Spec, raw: Sequence[Path], dataset: str) -> Arms:
    coupon_list, list_sha256 = _checked(spec, raw, coupons.LIST)
    visits, visits_sha256 = _checked(spec, raw, coupons.VISITS)
    label, mean, value = coupons.read_coupons(coupon_list, visits)
    provenance = _real(dataset, KAGGLE, f"{list_sha256} {visits_sha256}")
    return arms.make(mean, value, label, where=str(visits), **provenance)


def _user(spec: Spec, raw: Sequence[Path], dataset: str) -> Arms:
    path = raw[0] if raw else Path(spec["path"])
    mean, value, label = read_user_arms(path)
    return arms.make(
        mean,
        value,
        label,
        where=str(path),
        dataset=dataset,
        source="user",
        address=str(spec.get("path", path)),
        sha256=file_sha256(path),
    )


def _wireless(spec: Spec, raw: Sequence[Path], dataset: str) -> Arms:
    """Rate selection under Rayleigh fading: a fast rate pays more and gets through less often."""
    snr = float(spec.get("snr", 15))
    span = {"low": 0.25, "high": 6, "count": 24, **spec.get("rates", {})}
    low, high, count = float(span["low"]), float(span["high"]), int(span["count"])
    if not (0 < low < high and count >= 2):
        raise UserError(f"datasets.{dataset}.rates: 0 < low < high and count >= 2 are needed")
    rate = np.linspace(low, high, count)
    return arms.make(
        np.exp(-(2**rate - 1) / 10 ** (snr / 10)),
        rate / high,
        [f"{r:.6g} bit/s/Hz" for r in rate],
        where=f"datasets.{dataset}",
        dataset=dataset,
        source="formula",
        note=f"Rayleigh fading at a mean SNR of {snr:g} dB",
    )


KINDS: dict[str, Callable[[Spec, Sequence[Path], str], Arms]] = {
    "edx_courses": _edx_courses,
    "coupon_published": _coupon_published,
    "coupon_raw": _coupon_raw,
    "user": _user,
    "wireless": _wireless,
}


def _file(spec: Spec, name: str) -> Mapping[str, str]:
    return spec["files"].get(name) or {}


def _real(dataset: str, address: str, sha256: str) -> dict[str, str]:
    return {"dataset": dataset, "source": "real", "address": address, "sha256": sha256}


def _checked(spec: Spec, raw: Sequence[Path], name: str) -> tuple[Path, str]:
    """The raw file of that name and its sha256, which is the pinned one if one is pinned."""
    for path in raw:
        if path.name == name and path.is_file():
            return path, check_sha256(path, _file(spec, name).get("sha256"))
    raise UserError(f"{name} is not among the raw files ({', '.join(map(str, raw)) or 'none'})")


def _read_csv(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, restval="")
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise UserError(f"{path} has no column {missing[0]!r}")
            return list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path} is not a CSV file in UTF-8: {error}") from None


def _count(path: Path, index: int, row: Mapping[str, str], column: str) -> float:
    """A whole number that may be written with thousands separators, as in `3,126`."""
    try:
        return float(int(row[column].replace(",", "")))
    except ValueError:
        raise UserError(
            f"{path}, row {index + 2}: {column} is {row[column]!r}; a whole number is needed"
        ) from None


def _distinct(labels: Sequence[str]) -> list[str]:
    """The labels, with ` #2`, ` #3`, ... added to those that were there before."""
    taken: set[str] = set()
    result = []
    for label in labels:
        number, name = 1, label
        while name in taken:
            number += 1
            name = f"{label} #{number}"
        taken.add(name)
        result.append(name)
    return result
