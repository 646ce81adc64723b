"""The user's own arms, from a CSV or Parquet file."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from lincon.data.kinds.entry import KIND, ArmCount, DatasetEntry
from lincon.typed import PathText, Real, Text, Whole, optional

Unit = Annotated[str, StringConstraints(strict=True, pattern=r"^[^\s][^\n\r\t]*$", max_length=20)]
Share = Annotated[Real, Field(gt=0, le=1)]


class User(DatasetEntry):
    """your CSV or Parquet file"""

    kind: Literal["user"] = Field(description=KIND)
    path: PathText = Field(description="your CSV or Parquet file")
    unit: Unit = optional(
        "what rewards are counted in, such as EUR; at most 20 characters, as it stands "
        "beside every number"
    )
    scale: Real = Field(
        1, gt=0, le=1e12, description="the value that counts as 1; values are divided by it"
    )
    per: Whole = Field(
        1,
        ge=1,
        le=10**9,
        description="costs and values are per so many plays, as 1000 for USD per 1,000 requests; "
        "sums are in the unit itself",
    )
    where: dict[str, str | int | float] = optional(
        "keep the rows that have these texts in these columns, as {benchmark: GPQA}"
    )
    kind_column: Text = optional("the column of the kinds of request; by default kind, if present")
    kinds: Annotated[dict[str, Share], Field(min_length=1)] = optional(
        "the kinds of request, each with its share of all requests, as {code: 0.3, chat: 0.7}; "
        "by default equal shares"
    )
    sep: Annotated[str, StringConstraints(strict=True, min_length=1, max_length=1)] = Field(
        ",", description="the character between cells"
    )
    decimal: Literal[".", ","] = Field(".", description="the decimal sign")
    thousands: Literal[",", ".", " ", "'", "_"] = optional("the sign between groups of digits")
    arms: ArmCount = optional("how many arms the file is known to give")

    fixed = frozenset({"arms", "scale", "per"})
    columns = None

    @model_validator(mode="after")
    def _shares(self) -> Self:
        total = math.fsum(float(share) for share in (self.kinds or {}).values())
        if self.kinds and abs(total - 1) > 1e-9:
            raise ValueError(f".kinds has shares that sum to {total:g}; they must sum to 1")
        if self.decimal == self.thousands:
            raise ValueError(f".thousands is {self.thousands!r}, which is the decimal sign")
        return self

    def extract(self, raw: Sequence[Path]) -> dict[str, Any]:
        from lincon.data.raw import file_sha256
        from lincon.data.user_table import read_cells, user_arms

        path = raw[0] if raw else Path(self.path)
        keys = {"where", "kind_column", "sep", "decimal", "thousands"}
        reading = self.model_dump(include=keys, exclude_defaults=True)
        return {
            **user_arms(read_cells(path, self.sep), self, str(path)),
            "source": "user",
            "address": self.path,
            "sha256": file_sha256(path),
            "reading": json.dumps(reading) if reading else "",
        }
