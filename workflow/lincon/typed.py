"""Typed records of what people write in a config: numbers as they write them, and every mistake as
one sentence that names the key and says what is allowed.

A record is a Pydantic model. Its descriptions and bounds are the source of the JSON schema, of
config/README.md and of the sentences. The text of a validator's `ValueError` goes on after the key,
as in `ValueError("is too long; ...")`, or names a key below it: `ValueError(".low is ...")`.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    StringConstraints,
    ValidationError,
    WrapValidator,
)

from lincon.errors import UserError

# Characters of a value that a sentence repeats.
LONGEST = 200
# Pydantic writes the bounds of a number that a validator here reads in its own words.
BOUND_NAMES = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}
NAME = "a letter, then letters, digits, _ or - (of a file also .), at most 60 in all"
# Of Pydantic's sentences, the words that people do not use.
WORDS = {
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "greater than": "above",
    "less than": "below",
    "a valid integer": "a whole number",
    "a valid ": "a ",
}


class Record(BaseModel):
    """A mapping whose keys are all declared."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


Model = TypeVar("Model", bound=BaseModel)


def optional(description: str, **bounds: Any) -> Any:
    """The field of a key that may be left out, and is then not there at all: null is refused."""
    return Field(None, description=description, **bounds)


def plain_number(value: Any) -> Any:
    """The number that a text or a whole float stands for: YAML reads 1e-3 as text."""
    if isinstance(value, str) and "_" not in value:
        try:
            value = float(value)
        except ValueError:
            return value
        if value.is_integer() and abs(value) < 2**53:
            return int(value)
    return value


def _whole(value: Any) -> Any:
    value = plain_number(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _real(value: Any, check: Any) -> int | float:
    """A whole number stays one, since the parameters of Python policies may need it; -0.0 is 0."""
    value = plain_number(value)
    number: float = check(value)
    return value if isinstance(value, int) else number + 0.0


def check_path(path: str) -> str:
    """Refuse a path that a shell, Snakemake or a command line would read as something else."""
    if not path.isprintable() or set("{}") & set(path) or path.startswith(("-", "~")):
        raise ValueError(
            f"is {path!r}; allowed: a path without controls and braces, which are wildcards, that "
            "starts with neither - nor ~ (write it as ./... or in full)"
        )
    return path


def _distinct(items: list[Any]) -> list[Any]:
    if any(item in items[:place] for place, item in enumerate(items)):
        raise ValueError(f"is {shown(items)}; no item may be listed twice")
    return items


def _clean(text: str) -> str:
    if text != text.strip() or re.search("[\x00-\x1f\x7f\ufffe\uffff]", text):
        raise ValueError(f"is {shown(text)}; allowed: printable text without space at its ends")
    return text


Whole = Annotated[int, Strict(), BeforeValidator(_whole)]
Real = Annotated[float, Strict(), Field(allow_inf_nan=False), WrapValidator(_real)]
Text = Annotated[str, Strict(), Field(min_length=1), AfterValidator(_clean)]
PathText = Annotated[
    str, Strict(), Field(min_length=1, max_length=1000), AfterValidator(check_path)
]
Name = Annotated[
    str,
    StringConstraints(strict=True, pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=60),
    Field(description="a letter, then letters, digits, _ or -, at most 60 in all"),
]
Item = TypeVar("Item")
Distinct = Annotated[list[Item], AfterValidator(_distinct)]


def parsed(model: type[Model], given: Mapping[str, Any], where: str = "") -> Model:
    """The record of what was given at `where` in the config; `UserError` at the first mistake."""
    try:
        return model.model_validate(given)
    except ValidationError as found:
        mistakes = [(_path(error, given), error) for error in found.errors()]
        # A misspelt key is found before the one that is missing for it.
        path, error = min(mistakes, key=lambda one: (len(one[0]), one[1]["type"] == "missing"))
        at = ".".join(filter(None, (where, *map(_part, path))))
        raise UserError(f"config: {_sentence(at, error, model)}") from None


def schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a record, without the titles and empty defaults that Pydantic adds."""
    rules: dict[str, Any] = _cleaned(model.model_json_schema())
    return rules


def _cleaned(rules: Any, names: bool = False) -> Any:
    if isinstance(rules, list):
        return [_cleaned(item) for item in rules]
    if not isinstance(rules, dict):
        return rules
    # What maps names of the user's to rules.
    inside = () if names else ("properties", "$defs")
    return {
        key if names else BOUND_NAMES.get(key, key): _cleaned(value, key in inside)
        for key, value in rules.items()
        if names or not (key == "title" or (key == "default" and value is None))
    }


def _path(error: Any, given: Any) -> tuple[Any, ...]:
    """Where a mistake is, without the names that Pydantic gives the options of a union."""
    path: list[Any] = []
    for part in error["loc"]:
        inside = isinstance(given, Mapping) and part in given
        if inside or (isinstance(given, list | tuple) and isinstance(part, int)):
            path.append(part)
            given = given[part]
    return (*path, error["loc"][-1]) if error["type"] == "missing" else tuple(path)


def _sentence(at: str, error: Any, model: type[BaseModel]) -> str:
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    meaning, keys = _declared(error["loc"], model)
    if kind == "value_error":
        text = str(context["error"])
        return f"{at}{text}" if text.startswith(".") else f"{at} {text}"
    if kind in ("extra_forbidden", "invalid_key"):
        return unknown_key(at, keys)
    if error["loc"][-1:] == ("[key]",):
        if kind == "literal_error":
            return unknown_key(at, re.findall("'(.*?)'", context["expected"]))
        return f"{at} is not a good name; allowed: {NAME}"
    if kind == "missing":
        return f"{at} is missing; it must be given: {meaning}"
    if kind == "union_tag_not_found":
        return f"{at}.kind is missing; it must be given"
    if kind == "union_tag_invalid":
        known = re.findall("'(.*?)'", context["expected_tags"])
        guess = did_you_mean(context["tag"], known)
        return f"{at}.kind is {context['tag']!r}{guess}; allowed: {', '.join(known)}"
    if kind == "literal_error":
        choices = ", ".join(re.findall("'(.*?)'", context["expected"]))
        return f"{at} is {shown(value)}; allowed: {choices}"
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return f"{at} is {shown(value)}; allowed: a mapping of keys to values"
    # Pydantic's own words, but for a pattern, which people do not read: the meaning says it.
    bound = re.sub(r"^\w+ should (be|have|match pattern .*) ?", "", error["msg"])
    for theirs, ours in WORDS.items():
        bound = bound.replace(theirs, ours)
    return f"{at} is {shown(value)}; allowed: {meaning}{f' ({bound})' if bound else ''}"


def _declared(place: tuple[Any, ...], model: type[BaseModel]) -> tuple[str, list[str]]:
    """What the records say of a place: its meaning, and the keys that are allowed there."""
    here, meaning, fields, named = [model], "", {}, False
    for part in place:
        fields = {f.alias or name: f for one in here for name, f in one.model_fields.items()}
        if part in fields and not named:
            meaning, kind = fields[part].description or "", fields[part].annotation
            here, named = _records(kind), getattr(kind, "__origin__", None) is dict
        else:
            # A name of the user's choice, an index, or the option of a union that was taken.
            here, named = [one for one in here if part in _kinds(one)] or here, False
    return meaning, list(fields)


def _records(kind: Any) -> list[type[BaseModel]]:
    """The records that a type is made of."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [kind]
    inside = get_args(getattr(kind, "__value__", kind))
    return [record for one in inside for record in _records(one)]


def _kinds(record: type[BaseModel]) -> tuple[Any, ...]:
    kind = record.model_fields.get("kind")
    return get_args(kind.annotation) if kind else ()


def unknown_key(at: str, known: Iterable[str]) -> str:
    guess = did_you_mean(at.rpartition(".")[2], known)
    return f"{at} is not a known key{guess}; allowed here: {', '.join(sorted(known))}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), 1)
    return f" (did you mean {close[0]}?)" if close else ""


def shown(value: object) -> str:
    """What was given, cut where it would bury the sentence."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text):,} characters)"


def _part(part: object) -> str:
    text = str(part)
    return text if text.isprintable() and len(text) <= LONGEST else shown(part)
