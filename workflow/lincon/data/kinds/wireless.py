"""Rate selection under Rayleigh fading: a fast rate pays more and gets through less often."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from lincon.data.kinds.entry import KIND, DatasetEntry
from lincon.typed import Real, Record, Whole


class Rates(Record):
    low: Real = Field(0.25, gt=0, le=100, description="lowest rate")
    high: Real = Field(6, gt=0, le=100, description="highest rate")
    count: Whole = Field(24, ge=2, le=1_000_000, description="how many rates")


class Wireless(DatasetEntry):
    """rates to choose from on a radio link; a formula, no file needed"""

    kind: Literal["wireless"] = Field(description=KIND)
    snr: Real = Field(15, ge=-50, le=100, description="mean SNR in dB")
    rates: Rates = Field(
        default_factory=Rates, description="the rates to choose from, in bits/s/Hz"
    )

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        low, high = self.rates.low, self.rates.high
        if not low < high:
            raise ValueError(f".rates goes from {low:g} to {high:g}; low must be below high")
        return self

    def arm_count(self) -> int:
        return self.rates.count

    def extract(self, raw: Sequence[Path]) -> dict[str, Any]:
        import numpy as np

        rate = np.linspace(float(self.rates.low), float(self.rates.high), self.rates.count)
        ratio = 10 ** (float(self.snr) / 10)
        return {
            # Not np.exp, whose last digit depends on the processor.
            "mean": [math.exp(-(2**r - 1) / ratio) for r in rate.tolist()],
            "value": rate / float(self.rates.high),
            "label": [f"{r:.6g} bit/s/Hz" for r in rate],
            "source": "formula",
            "note": f"Rayleigh fading at a mean SNR of {self.snr:g} dB",
        }
