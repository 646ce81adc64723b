"""Typed records of what people write in a config: numbers as they write them, and every mistake as
one sentence that names the key and says what is allowed.

A record is a Pydantic model. Its descriptions and bounds are the source of the JSON schema, of
config/README.md and of the sentences. The text of a validator's `ValueError` goes on after the key,
as in `ValueError("is too long; ...")`, or names a key below it: `ValueError(".low is ...")`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

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
BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}
# Pydantic writes the bounds of a number that a validator here reads in its own words.
BOUND_NAMES = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}
# What maps names of the user's to rules.
MAPPINGS = ("properties", "$defs")
SCALARS = ("number", "integer", "string", "boolean")
KINDS = {"integer": "a whole number", "number": "a number", "boolean": "true or false"}

Rules = Mapping[str, Any]
# The default of a key that may be left out, and is then not there at all: null is refused.
NOT_GIVEN: Any = None


class Record(BaseModel):
    """A mapping whose keys are all declared."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


Model = TypeVar("Model", bound=BaseModel)


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
    if not path.isprintable():
        raise ValueError(f"is {path!r}; allowed: a path without line breaks or controls")
    if "{" in path or "}" in path:
        raise ValueError(f"is {path!r}; allowed: a path without braces, which are wildcards")
    if path.startswith(("-", "~")):
        raise ValueError(
            f"is {path!r}; allowed: a path that starts with neither - nor ~ "
            "(write it as ./... or in full)"
        )
    return path


def _distinct(items: list[Any]) -> list[Any]:
    if any(item in items[:place] for place, item in enumerate(items)):
        raise ValueError(f"is {shown(items)}; no item may be listed twice")
    return items


def _trimmed(text: str) -> str:
    if text != text.strip():
        raise ValueError(f"is {text!r}; allowed: text without space at its ends")
    return text


Whole = Annotated[int, Strict(), BeforeValidator(_whole)]
Real = Annotated[float, Strict(), Field(allow_inf_nan=False), WrapValidator(_real)]
Text = Annotated[str, Strict(), Field(min_length=1), AfterValidator(_trimmed)]
PathText = Annotated[
    str,
    Strict(),
    Field(min_length=1, max_length=1000),
    AfterValidator(check_path),
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
        at = ".".join(filter(None, (where, *map(part_of, path))))
        raise UserError(f"config: {_sentence(at, path, error, schema(model), given)}") from None


def schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a record, without the titles and empty defaults that Pydantic adds."""
    rules: dict[str, Any] = _cleaned(model.model_json_schema())
    return rules


def _cleaned(rules: Any, names: bool = False) -> Any:
    if isinstance(rules, list):
        return [_cleaned(item) for item in rules]
    if not isinstance(rules, dict):
        return rules
    return {
        key if names else BOUND_NAMES.get(key, key): _cleaned(value, key in MAPPINGS and not names)
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


def _sentence(at: str, path: tuple[Any, ...], error: Any, rules: Rules, given: Any) -> str:
    kind, value = error["type"], error["input"]
    here = rules_at(rules, path, given)
    meaning = here.get("description", "")
    if error["loc"][-1:] == ("[key]",):
        names = rules_at(rules, path[:-1], given)["propertyNames"]
        if "enum" in names:
            return unknown_key(at, dict.fromkeys(names["enum"]))
        return f"{at} is not a good name; allowed: {names['description']}"
    if kind == "value_error":
        text = str(error["ctx"]["error"])
        return f"{at}{text}" if text.startswith(".") else f"{at} {text}"
    if kind == "extra_forbidden":
        return unknown_key(at, rules_at(rules, path[:-1], given)["properties"])
    if kind == "missing":
        return f"{at} is missing; it must be given: {meaning}"
    if kind == "finite_number":
        return f"{at} is not a finite number; infinities are not allowed"
    if kind.startswith("union_tag") and isinstance(value, Mapping):
        return _wrong_tag(at, error)
    choices = here.get("enum") or ([here["const"]] if "const" in here else [])
    meaning = meaning or ("a mapping" if here.get("type") == "object" else "a value")
    allowed = ", ".join(choices) if choices else f"{meaning}{_bounds(here)}"
    return f"{at} is {shown(value)}; allowed: {allowed}"


def rules_at(rules: Rules, path: Iterable[Any], given: Any) -> Rules:
    """The rules of the schema for the value at a path; what stands at the key itself wins."""
    here = resolved(rules, rules, given)
    for part in path:
        below = here.get("properties", {}).get(part)
        if below is None and isinstance(part, int):
            below = {"description": here.get("description", ""), **here.get("items", {})}
        if below is None:
            others = here.get("patternProperties", {}).values()
            below = next(iter(others), here.get("additionalProperties") or {})
        missing = isinstance(given, Mapping) and part not in given
        given = None if missing or not isinstance(given, Mapping | list | tuple) else given[part]
        here = resolved(below if isinstance(below, Mapping) else {}, rules, given)
    return here


def resolved(rules: Rules, root: Rules, given: Any = None) -> Rules:
    """The rules behind a reference, and of several options the one that suits what was given."""
    own = {key: rules[key] for key in rules if key not in ("$ref", "anyOf", "oneOf")}
    if "$ref" in rules:
        return resolved(root["$defs"][rules["$ref"].rpartition("/")[2]] | own, root, given)
    options = [resolved(option, root, given) for option in options_of(rules)]
    best = max(options, key=lambda option: _fit(option, given), default={})
    return {**best, **own}


def options_of(rules: Rules) -> Sequence[Rules]:
    return rules.get("anyOf") or rules.get("oneOf") or ()


def _fit(rules: Rules, given: Any) -> int:
    """How well an option suits a value: by its type, then by its fixed and its required keys."""
    kind = str(rules.get("type"))
    if not isinstance(given, Mapping):
        return kind == "array" if isinstance(given, list | tuple) else kind in SCALARS
    rows = rules.get("properties", {})
    fixed = all(given.get(key) == row["const"] for key, row in rows.items() if "const" in row)
    return (kind == "object") * (1 + fixed + (set(rules.get("required", ())) <= set(given)))


def _wrong_tag(at: str, error: Any) -> str:
    key = error["ctx"]["discriminator"].strip("'")
    tags = error["ctx"].get("expected_tags", "")
    if error["type"] == "union_tag_not_found":
        return f"{at}.{key} is missing; it must be given"
    given = error["ctx"]["tag"]
    known = [tag.strip("' ") for tag in tags.split(",")]
    return f"{at}.{key} is {given!r}{did_you_mean(given, known)}; allowed: {', '.join(known)}"


def unknown_key(at: str, known: Mapping[str, Any]) -> str:
    guess = did_you_mean(at.rpartition(".")[2], known)
    kind = known["kind"].get("const") if isinstance(known.get("kind"), Mapping) else None
    what = f"a key of kind {kind}" if kind else "a known key"
    return f"{at} is not {what}{guess}; allowed here: {', '.join(sorted(known))}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), 1)
    return f" (did you mean {close[0]}?)" if close else ""


def _bounds(rules: Rules) -> str:
    kind = str(rules.get("type"))
    parts = [KINDS[kind]] if kind in KINDS else []
    parts += [f"{word} {rules[key]:,}" for key, word in BOUNDS.items() if key in rules]
    return f" ({', '.join(parts)})" if parts else ""


def shown(value: object) -> str:
    """What was given, cut where it would bury the sentence."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text):,} characters)"


def part_of(part: object) -> str:
    text = str(part)
    return text if text.isprintable() and len(text) <= LONGEST else shown(part)
