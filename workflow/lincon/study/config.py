"""The configuration: checked against the closed schema, then against itself.

Every mistake is one sentence that names the key and says what is allowed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from lincon.data import kinds
from lincon.errors import UserError
from lincon.policies import registry as policies
from lincon.shared import schema as schema_file
from lincon.study import style
from lincon.study.coercion import coerced, not_finite
from lincon.study.plain import check_plain, joined, shown

SCHEMA = schema_file("config")


def schema() -> dict[str, Any]:
    """The schema file, with the rows that the kinds of dataset and the policy parts declare."""
    rules = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    rules["$defs"]["dataset"]["properties"] = kinds.schema_properties()
    rules["$defs"]["policy"]["properties"] |= policies.schema_properties()
    experiment = rules["$defs"]["experiment"]["properties"]
    for name, row in kinds.swept_properties().items():
        experiment[name] = {"$ref": "#/$defs/number", "description": row["description"]}
    return rules


def validate(given: Mapping[str, Any]) -> dict[str, Any]:
    """The config with the schema's defaults filled in; `UserError` at the first mistake."""
    rules = schema()
    defaults = {k: v["default"] for k, v in rules["properties"].items() if "default" in v}
    check_plain(given)
    config: dict[str, Any] = coerced(defaults | dict(given), rules, rules)
    wrong = not_finite(config)
    if wrong:
        raise UserError(f"config: {wrong} is not a finite number; infinities are not allowed")
    checked = config | {"policies": _without_own_parameters(config.get("policies"))}
    errors = sorted(Draft202012Validator(rules).iter_errors(checked), key=_depth)
    if errors:
        raise UserError(f"config: {_sentence(errors[0])}")
    atlases = config.get("atlas", {})
    _check_folders("datasets", config["datasets"])
    _check_folders("policies", config["policies"])
    _check_folders("experiments", [*config["experiments"], *atlases])
    _check_datasets(config["datasets"])
    _check_policies(config["policies"], config["engine"])
    _check_style(config.get("style", {}))
    _check_names("compare", config.get("compare", ()), config["policies"])
    _check_names("only", config.get("only", ()), {*config["experiments"], *atlases})
    for name, atlas in atlases.items():
        _check_names(f"atlas.{name}.policies", atlas["policies"], config["policies"])
        if name in config["experiments"]:
            raise UserError(f"config: atlas.{name} is an experiment's name; each must be its own")
    for name, experiment in config["experiments"].items():
        _check_experiment(f"experiments.{name}", experiment, config)
    return config


def _without_own_parameters(entries: Any) -> Any:
    """The policies as the schema knows them: what a class is built with is its own business."""
    if not isinstance(entries, Mapping):
        return entries
    known = ("label", "colour", "python", *policies.TABLES)
    return {
        name: {key: entry[key] for key in entry if key in known}
        if isinstance(entry, Mapping) and "python" in entry
        else entry
        for name, entry in entries.items()
    }


def default_study(files: Sequence[str | Path]) -> str:
    """The name of a study that gives itself none: that of its config file, `paper` for the default.

    Snakemake lists the files of the command line before the one that they are merged into.
    """
    given = [Path(file).stem for file in files if Path(file).stem != "config"]
    return given[-1] if given else "paper"


def _depth(error: ValidationError) -> tuple[int, str]:
    return len(error.absolute_path), error.json_path


def _sentence(error: ValidationError) -> str:
    where = ".".join(str(part) for part in error.absolute_path)
    description = error.schema.get("description", "") if isinstance(error.schema, dict) else ""
    if error.validator == "additionalProperties":
        return _unknown_key(error, where)
    if error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        meaning = _described(error.schema["properties"].get(missing, {}))
        return f"{joined(where, missing)} is missing; it must be given: {meaning}"
    if error.validator == "pattern" and "propertyNames" in error.absolute_schema_path:
        return f"{joined(where, error.instance)} is not a good name; allowed: {description}"
    if error.validator == "enum":
        return f"{where} is {shown(error.instance)}; allowed: {', '.join(error.validator_value)}"
    if error.validator == "uniqueItems":
        return f"{where} is {shown(error.instance)}; no item may be listed twice"
    bounds = _bounds(error.schema)
    given = shown(error.instance)
    return f"{where} is {given}; allowed: {description}{bounds}{_hint(error.instance)}"


def _described(rules: Mapping[str, Any]) -> str:
    if "$ref" in rules:
        rules = schema()["$defs"][rules["$ref"].rpartition("/")[2]] | dict(rules)
    return rules.get("description", "a value")


def _unknown_key(error: ValidationError, where: str) -> str:
    known = sorted(error.schema.get("properties", {}))
    unknown = next(key for key in error.instance if key not in known)
    close = difflib.get_close_matches(str(unknown), known, 1)
    guess = f" (did you mean {close[0]}?)" if close else ""
    return f"{joined(where, unknown)} is not a known key{guess}; allowed here: {', '.join(known)}"


def _bounds(rules: Mapping[str, Any]) -> str:
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "exclusiveMaximum": "below",
    }
    parts = [f"{word} {rules[key]:,}" for key, word in words.items() if key in rules]
    kind = {"integer": "a whole number", "number": "a number"}.get(str(rules.get("type")))
    parts = ([kind] if kind else []) + parts
    return f" ({', '.join(parts)})" if parts else ""


def _hint(value: object) -> str:
    """YAML reads 1e-3 as text; say so to whoever meant a number."""
    try:
        return f"; this is text to YAML, write {float(value)!r}" if isinstance(value, str) else ""
    except ValueError:
        return ""


def _check_folders(section: str, names: Iterable[str]) -> None:
    """Each name is a folder, and not every file system tells large letters from small ones."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise UserError(
                f"config: {section}.{name} differs from {section}.{other} in capitals alone, which "
                "is the same folder to some file systems; give it another name"
            )


def _check_datasets(datasets: Mapping[str, Mapping[str, Any]]) -> None:
    _check_labels("datasets", datasets)
    _check_files(datasets)
    for name, dataset in datasets.items():
        kind = kinds.KINDS[dataset["kind"]]
        allowed = set(kinds.COMMON) | set(kind.keys)
        for key in sorted(set(dataset) - allowed):
            raise UserError(
                f"config: datasets.{name}.{key} does not go with kind {kind.name}; "
                f"allowed: {', '.join(sorted(allowed))}"
            )
        kind.check_entry(dataset, f"config: datasets.{name}")
        if kind.path_key:
            check_path(f"config: datasets.{name}.{kind.path_key}", dataset[kind.path_key])


def _check_style(entry: Mapping[str, Any]) -> None:
    if "file" in entry:
        check_path("config: style.file", entry["file"])
    style.check(entry)


def check_path(where: str, path: str) -> None:
    """Refuse a path that a shell, Snakemake or a command line would read as something else."""
    if not path.isprintable():
        raise UserError(f"{where} is {path!r}; allowed: a path without line breaks or controls")
    if "{" in path or "}" in path:
        raise UserError(f"{where} is {path!r}; allowed: a path without braces, which are wildcards")
    if path.startswith(("-", "~")):
        raise UserError(
            f"{where} is {path!r}; allowed: a path that starts with neither - nor ~ "
            "(write it as ./... or in full)"
        )


def _check_files(datasets: Mapping[str, Mapping[str, Any]]) -> None:
    """Datasets may share a raw file, but a file name means one file."""
    known: dict[str, tuple[str, object]] = {}
    for name, dataset in datasets.items():
        for key in ("files", "published_runs"):
            for file, entry in dataset.get(key, {}).items():
                owner, first = known.setdefault(file, (f"{name}.{key}", entry))
                if entry != first:
                    raise UserError(
                        f"config: datasets.{name}.{key}.{file} differs from datasets.{owner}; "
                        "a file name must mean one file"
                    )


def _check_policies(entries: Mapping[str, Mapping[str, Any]], engine: str) -> None:
    _check_labels("policies", entries)
    for name, entry in entries.items():
        try:
            policy = policies.make_policy(name, engine_keys(entry))
            if policy.python:
                check_path(f"policies.{name}.python", policy.python.source)
            policies.engine_of(policy, engine)
        except UserError as error:
            raise UserError(f"config: {error}") from None


def engine_keys(policy: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a policy that its numbers depend on: not its label, not its colour."""
    return {key: policy[key] for key in sorted(policy) if key not in ("label", "colour")}


def _check_labels(section: str, entries: Mapping[str, Mapping[str, Any]]) -> None:
    owners: dict[str, str] = {}
    for name, entry in entries.items():
        label = entry.get("label", name)
        if label in owners:
            raise UserError(
                f"config: {section}.{name}.label is {label!r}, that of {section}.{owners[label]} "
                "already; labels must differ"
            )
        owners[label] = name


def _check_names(where: str, names: Sequence[str], known: Iterable[str]) -> None:
    known = sorted(known)
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            guess = f" (did you mean {close[0]}?)" if close else ""
            raise UserError(
                f"config: {where}: {name!r} is not known{guess}; there are: {', '.join(known)}"
            )


def _check_experiment(where: str, experiment: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    _check_names(f"{where}.dataset", [experiment["dataset"]], config["datasets"])
    _check_names(f"{where}.policies", experiment["policies"], config["policies"])
    dataset = config["datasets"][experiment["dataset"]]
    kind = kinds.KINDS[dataset["kind"]]
    for key in sorted(set(experiment) & set(kinds.swept_properties()) - set(kind.swept)):
        raise UserError(
            f"config: {where}.{key} does not go with kind {kind.name} of {experiment['dataset']}; "
            f"it can sweep: {', '.join(sorted(kind.swept)) or 'no key of its own'}"
        )
    for policy, parameters in experiment.get("parameters", {}).items():
        _check_names(f"{where}.parameters", [policy], experiment["policies"])
        entry = engine_keys(config["policies"][policy])
        try:
            for values in _ends(parameters):
                policies.make_policy(policy, entry | values)
        except UserError as error:
            raise UserError(f"config: {where}.parameters: {error}") from None


def _ends(parameters: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """Each replaced parameter with each value that it is given; of a range, both ends."""
    for name, given in parameters.items():
        values = (given["low"], given["high"]) if isinstance(given, Mapping) else given
        for value in values if isinstance(values, list | tuple) else (values,):
            yield {name: value}
