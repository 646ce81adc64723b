"""What any config is made of: what JSON knows, and text that can be written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lincon.errors import UserError
from lincon.files import UNWRITABLE

# Characters of a value that a sentence repeats.
LONGEST = 200


def check_plain(config: Mapping[str, Any]) -> None:
    """Only what JSON knows: no dates, nothing that holds itself, keys that are texts."""
    try:
        json.dumps(config)
    except (TypeError, ValueError, RecursionError) as error:
        raise UserError(
            f"config: only texts, numbers, lists and mappings are allowed ({error})"
        ) from None
    _check_texts(config, "")


def _check_texts(value: Any, where: str) -> None:
    """Keys are texts, which 1.5, yes and null are not to YAML."""
    if isinstance(value, str) and UNWRITABLE.search(value):
        raise UserError(f"config: {where} is {shown(value)}; allowed: text without controls")
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise UserError(f"config: {joined(where, key)} is no name; put it in quotes")
            _check_texts(item, joined(where, key))
    elif isinstance(value, list | tuple):
        for item in value:
            _check_texts(item, where)


def shown(value: object) -> str:
    """What was given, cut where it would bury the sentence."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text):,} characters)"


def joined(where: str, key: object) -> str:
    text = str(key) if str(key).isprintable() and len(str(key)) <= LONGEST else shown(key)
    return f"{where}.{text}".lstrip(".")
