"""Rate selection under Rayleigh fading: a fast rate pays more and gets through less often."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lincon.data import arms
from lincon.data.arms import Arms
from lincon.data.kinds.declaration import Entry, Kind
from lincon.errors import UserError


def extract(entry: Entry, raw: Sequence[Path], dataset: str) -> Arms:
    snr, span = float(entry["snr"]), entry["rates"]
    rate = np.linspace(float(span["low"]), float(span["high"]), int(span["count"]))
    ratio = 10 ** (snr / 10)
    return arms.make(
        # Not np.exp, whose last digit depends on the processor.
        [math.exp(-(2**r - 1) / ratio) for r in rate.tolist()],
        rate / float(span["high"]),
        [f"{r:.6g} bit/s/Hz" for r in rate],
        where=f"datasets.{dataset}",
        dataset=dataset,
        source="formula",
        note=f"Rayleigh fading at a mean SNR of {snr:g} dB",
    )


def check(entry: Entry, where: str) -> None:
    low, high = entry["rates"]["low"], entry["rates"]["high"]
    if not low < high:
        raise UserError(f"{where}.rates goes from {low:g} to {high:g}; low must be below high")


KIND = Kind(
    name="wireless",
    description="rates to choose from on a radio link; a formula, no file needed",
    mean="exp(-(2^R - 1) / s) for rate R and mean SNR s (Rayleigh fading)",
    value="R / R_max",
    source="formula",
    keys={
        "snr": {
            "type": "number",
            "minimum": -50,
            "maximum": 100,
            "default": 15,
            "description": "mean SNR in dB",
        },
        "rates": {
            "description": "the rates to choose from, in bits/s/Hz",
            "type": "object",
            "additionalProperties": False,
            "default": {},
            "properties": {
                "low": {
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "maximum": 100,
                    "default": 0.25,
                    "description": "lowest rate",
                },
                "high": {
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "maximum": 100,
                    "default": 6,
                    "description": "highest rate",
                },
                "count": {
                    "type": "integer",
                    "minimum": 2,
                    "maximum": 1_000_000,
                    "default": 24,
                    "description": "how many rates",
                },
            },
        },
    },
    arms=lambda entry: int(entry["rates"]["count"]),
    check=check,
    extract=extract,
)
