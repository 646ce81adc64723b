"""The user's own arms, from a CSV or Parquet file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from lincon.data.kinds.entry import KIND, ArmCount, DatasetEntry
from lincon.typed import PathText, Real, optional

Unit = Annotated[str, StringConstraints(strict=True, pattern=r"^[^\s][^\n\r\t]*$", max_length=20)]


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
    where: dict[str, str | int | float] = optional(
        "keep the rows that have these texts in these columns, as {benchmark: GPQA}"
    )
    sep: Annotated[str, StringConstraints(strict=True, min_length=1, max_length=1)] = optional(
        "the character between cells; found out by default"
    )
    decimal: Literal[".", ","] = optional("the decimal sign; found out by default")
    thousands: Literal[",", ".", " ", "'", "_"] = optional(
        "the sign between groups of three digits; found out by default"
    )
    arms: ArmCount = optional("how many arms the file is known to give")

    mean_is = "`mean`, or `successes / trials`"
    value_is = "`value / scale`; `cost` and further columns as they are, texts as groups"
    fixed = frozenset({"arms", "scale"})
    columns = None

    def extract(self, raw: Sequence[Path]) -> dict[str, Any]:
        from lincon.data.raw import file_sha256
        from lincon.data.user_table import read_user_arms

        path, scale = raw[0] if raw else Path(self.path), float(self.scale)
        # Thousands are separated by the one of comma and point that is not the decimal sign.
        decimal = self.decimal or {",": ".", ".": ","}.get(self.thousands or "")
        return {
            **read_user_arms(path, scale, self.where or {}, self.sep, decimal),
            "where": str(path),
            "unit": self.unit or "",
            "scale": scale,
            "source": "user",
            "address": self.path,
            "sha256": file_sha256(path),
        }
