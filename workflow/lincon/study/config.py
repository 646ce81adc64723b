"""The config that was given, read and checked: every mistake is one sentence that names the key.

Rules and stages get plain dicts, with only the keys that were given and the defaults of the study's
own keys.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from lincon.data import kinds
from lincon.errors import UserError, did_you_mean
from lincon.policies.standard import with_standard
from lincon.study.records import Config, Looks
from lincon.typed import parsed

DEFAULTS = {
    key: field.default
    for key, field in Config.model_fields.items()
    if field.default is not None and not field.is_required()
}


class _Loader(yaml.SafeLoader):
    """Refuses what contains itself, and a key that is given twice, of which YAML readers keep the
    last and say nothing."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                problem = f"{key.value} is given twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep=True)


def read_config(path: str | Path) -> dict[str, Any]:
    """What a config file says; `UserError`, with the line, where it cannot be read."""
    try:
        # A subclass of the safe loader.
        content = yaml.load(Path(path).read_text(encoding="utf-8"), _Loader)  # nosec B506
    except UnicodeDecodeError as error:
        at = error.start + 1
        raise UserError(f"{path} is not text in UTF-8 (byte {at}); save it as UTF-8") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise UserError(f"{path}{line} cannot be read: {problem}") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    if not isinstance(content, dict):
        raise UserError(f"{path}: a config is made of keys with their values, as in runs: 16")
    return content


def default_study(files: Sequence[str | Path]) -> str:
    """The default name of a study: that of its config file, `paper` for config.yaml.

    Snakemake lists the files of the command line before the one that they are merged into.
    """
    names = [Path(file).stem for file in files if Path(file).stem != "config"]
    return names[-1] if names else "paper"


def read_study(files: Sequence[str | Path], config: Mapping[str, Any]) -> dict[str, Any]:
    """The config of a study, from Snakemake's config files and what it made of them."""
    for file in files:
        read_config(file)  # YAML readers keep the last of two equal keys silently
    return validate({"study": default_study(files)} | dict(config))


def validate(content: Mapping[str, Any]) -> dict[str, Any]:
    """The config as plain dicts with the study's defaults filled in; `UserError` at a mistake."""
    added = content.get("policies", {})
    if isinstance(added, Mapping) and all(isinstance(one, Mapping) for one in added.values()):
        content = {**content, "policies": with_standard(added)}
    record = parsed(Config, content)
    config = DEFAULTS | record.model_dump(by_alias=True, exclude_unset=True, warnings=False)
    experiments = config["experiments"]
    for section in ("datasets", "policies"):
        _check_distinct(section, config[section])
    _check_files(config["datasets"])
    _check_names("compare", config.get("compare", ()), config["policies"])
    _check_names("only", config.get("only", ()), experiments)
    for name, one in experiments.items():
        where = f"experiments.{name}"
        _check_names(f"{where}.dataset", [one["dataset"]], config["datasets"])
        _check_names(f"{where}.policies", one["policies"], config["policies"])
        _check_names(f"{where}.parameters", one.get("parameters", ()), one["policies"])
        kind = config["datasets"][one["dataset"]]["kind"]
        swept = sorted(set(one) & set(kinds.all_swept()))
        _check_names(f"{where}, whose dataset is of kind {kind}", swept, kinds.swept(kind))
    return config


def _check_distinct(section: str, entries: Mapping[str, Mapping[str, Any]]) -> None:
    """Labels and names must differ; names become folders, and some file systems ignore case."""
    owners: dict[tuple[str, str], str] = {}
    for name, entry in entries.items():
        for key, text in (("label", entry.get("label", name)), ("name", name.lower())):
            other = owners.setdefault((key, text), name)
            if other != name:
                raise UserError(
                    f"config: {section}.{name} has the {key} {text!r}, as has {section}.{other}; "
                    "labels, and names in lower case, must differ"
                )


def _check_files(datasets: Mapping[str, Mapping[str, Any]]) -> None:
    """Datasets may share a raw file, but a file name means one file."""
    known: dict[str, tuple[str, object]] = {}
    for name, dataset in datasets.items():
        for file, entry in dataset.get("files", {}).items():
            owner, first = known.setdefault(file, (f"{name}.files", entry))
            if entry != first:
                raise UserError(
                    f"config: datasets.{name}.files.{file} differs from datasets.{owner}; "
                    "a file name must mean one file"
                )


def engine_keys(policy: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a policy that its numbers depend on: not its label, colour or time limit."""
    others = {*Looks.model_fields, "time_limit"}
    return {key: policy[key] for key in sorted(policy) if key not in others}


def _check_names(where: str, names: Iterable[str], known: Iterable[str]) -> None:
    known = sorted(known)
    for name in names:
        if name not in known:
            raise UserError(
                f"config: {where}: {name!r} is not known{did_you_mean(name, known)}; there are: "
                f"{', '.join(known)}"
            )
