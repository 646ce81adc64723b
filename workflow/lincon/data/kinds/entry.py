"""What every kind of dataset is: a typed entry of the config that can make its arms.

A kind is one subclass in one file: its fields are the keys of the config (each numeric one can be
swept by an experiment, `rates.high` within `rates` too), its methods make the arms. No other code
depends on the kind. The rules read these files before NumPy is installed, so methods import what
they compute with.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field, StringConstraints, model_validator

from lincon.data.raw import checked, is_placeholder
from lincon.errors import UserError
from lincon.typed import Real, Record, Text, Whole, optional

# Keys of an entry that its arms do not depend on.
NOT_ARMS = ("label", "licence")
KIND = "how arms are made from the source"

FileName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100),
    Field(description="a letter or digit, then letters, digits, ., _ or -, at most 100 in all"),
]
ArmCount = Annotated[Whole, Field(ge=1, le=100_000_000)]


class RawFile(Record):
    """one raw file"""

    address: str = optional(
        "where to download it, an address with http:// or https://",
        pattern=r"^https?://[^\s]+$",
        max_length=2000,
    )
    sha256: str = optional(
        "the checksum that it must have, 64 hexadecimal digits", pattern=r"^[0-9a-f]{64}$"
    )


class Delay(Record):
    """feedback that is late or lost: by a number of rounds, a geometric law, or their sum"""

    rounds: Whole = Field(0, ge=0, le=10**9, description="rounds by which feedback is late")
    mean: Real = Field(0.0, ge=0, le=1e9, description="mean of a geometric delay, in rounds")
    lost: Real = Field(0.0, ge=0, lt=1, description="the probability that feedback never arrives")
    timeout: Whole = optional(
        "rounds after which missing feedback is reported as no event", ge=0, le=10**9
    )


class Drift(Record):
    """drifting means: independent normal steps of their logits"""

    at: Whole = optional("the round of one large step", ge=2, le=10**9)
    size: Real = Field(0.0, ge=0, le=100, description="standard deviation of that step")
    walk: Real = Field(0.0, ge=0, le=100, description="standard deviation of the step per round")

    @model_validator(mode="after")
    def _complete(self) -> Drift:
        if (self.at is None) != (self.size == 0.0):
            raise ValueError("needs both at and size for a step, or neither of them")
        return self


class DatasetEntry(Record):
    """The keys that every dataset has, whatever its kind."""

    label: Annotated[Text, Field(max_length=200)] = Field(
        description="the name shown in figures and tables"
    )
    kind: Any = Field(description=KIND)
    licence: str = optional("under which terms the data may be used", max_length=1000)
    delay: Delay = optional(f"{Delay.__doc__}; the dense engine plays it")
    drift: Drift = optional(f"{Drift.__doc__}; the dense engine plays it")

    # Numbers that state a fact about a file: no experiment replaces or sweeps them.
    fixed: ClassVar[frozenset[str]] = frozenset({"arms"})
    # The arms' columns other than mean and value; None where only the file knows them.
    columns: ClassVar[tuple[str, ...] | None] = ()
    # Whose facts its stand-in arms are made from (data/stand_in.py); none without a download.
    stand_in: ClassVar[str] = ""

    def arm_count(self) -> int | None:
        """How many arms there are; None where only the file knows."""
        return getattr(self, "arms", None)

    def world(self) -> str:
        """Delay and drift as the text that its arms carry; empty where there is neither."""
        changes = self.model_dump(include={"delay", "drift"}, exclude_none=True)
        return json.dumps(changes, sort_keys=True) if changes else ""

    def extract(self, raw: Sequence[Path]) -> dict[str, Any]:
        """The arguments of `arms.make`, from the raw files of the entry."""
        raise NotImplementedError


class FileEntry(DatasetEntry):
    """The keys of the kinds that read one downloaded file."""

    files: Annotated[dict[FileName, RawFile], Field(min_length=1)] = Field(
        description="the raw file by its name, with its address and the checksum that it must have"
    )
    arms: ArmCount = optional("how many arms the file is known to give")

    @model_validator(mode="after")
    def _one_file(self) -> FileEntry:
        if len(self.files) != 1:
            raise ValueError(f".files names {', '.join(self.files)}; allowed: one file")
        return self

    def pinned(self, raw: Sequence[Path]) -> tuple[Path, dict[str, Any]]:
        """Its file, only with the pinned bytes, and where its arms come from."""
        (name,) = self.files
        path = next(path for path in raw if path.name == name)
        if is_placeholder(path):
            raise UserError(f"{path} is empty, as it could not be downloaded; save the file there")
        sha256 = checked(path, dict(self.files[name]))
        return path, {"where": str(path), "source": "real", "sha256": sha256}
