"""The kinds of dataset: every class of a file here that names one. A new one is a file."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, get_args

from pydantic import BaseModel

from lincon.data.kinds.entry import NOT_ARMS, DatasetEntry
from lincon.typed import parsed

__all__ = ["KINDS", "NOT_ARMS", "DatasetEntry"]

Entry = Mapping[str, Any]  # a dataset's entry in the config
# What an experiment makes of the counts behind the means: a key that the plan adds to an entry.
COUNTS_AS = "counts_as"


def _declared() -> Iterator[tuple[str, type[DatasetEntry]]]:
    for file in iter_modules(__path__):
        for model in vars(import_module(f"{__name__}.{file.name}")).values():
            if isinstance(model, type) and issubclass(model, DatasetEntry):
                for name in get_args(model.model_fields["kind"].annotation):
                    yield name, model


KINDS: dict[str, type[DatasetEntry]] = dict(_declared())


def parse(entry: Entry, where: str = "the dataset") -> DatasetEntry:
    """The typed entry; `UserError` at the first mistake. A label is not needed to make arms."""
    keys = {key: entry[key] for key in entry if key != COUNTS_AS}
    return parsed(KINDS[entry["kind"]], {"label": "arms"} | keys, where)


def swept(kind: str) -> dict[str, str]:
    """What each number means that an experiment can replace or sweep, by dotted name."""
    return {n: text for n, text in _numbers(KINDS[kind]) if n not in KINDS[kind].fixed}


def all_swept() -> dict[str, str]:
    """The same, of all kinds together."""
    return {name: text for kind in KINDS for name, text in swept(kind).items()}


def replaced(entry: Entry, values: Mapping[str, float]) -> dict[str, Any]:
    """The entry with defaults filled in and other values at dotted keys: `{"rates.high": 8}`."""
    filled = parse(entry).model_dump(exclude_none=True, exclude={*NOT_ARMS, "files"})
    result = {**entry, **filled}
    for dotted, value in values.items():
        *parents, last = dotted.split(".")
        below = result
        for parent in parents:
            below = below.setdefault(parent, {})
        below[last] = value
    return result


def _numbers(model: type[BaseModel], above: str = "") -> Iterator[tuple[str, str]]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _numbers(kind, f"{above}{name}.")
        elif kind in (int, float):
            yield above + name, field.description or ""
