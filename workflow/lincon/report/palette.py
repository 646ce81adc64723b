"""How a policy looks: one palette and one set of dashes, for figures and page alike.

Every colour has a contrast of at least 4.5 to 1 against its background, as WCAG asks of text:
names beside curves have the curves' colours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LIGHT_PAGE, DARK_PAGE = "#ffffff", "#16191d"
# On light and on dark. Okabe and Ito's hues, darkened or lightened until they can be read.
HUES = (
    *(("#0072B2", "#4FA8E0"), ("#B84A00", "#FF9350"), ("#00785A", "#2CC295")),
    *(("#A8478C", "#E69ACB"), ("#8A6000", "#E0B23F"), ("#00757F", "#4FC3CE")),
    *(("#6A4BB0", "#B49CF0"), ("#9A3B3B", "#F09090")),
)
INK, FAINT = ("#1b1f24", "#e7eaee"), ("#6B6B6B", "#98a2ad")
GREY_LINE = ("#BDBDBD", "#4a525c")  # curves that do not stand out; their names are FAINT
WARNING, KEPT, MISSED = "#B00020", "#00785A", "#B84A00"
KEPT_SIDE = "#E6F2EC"
# In points, on and off; none is solid. References are black, and two at most have own dashes.
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.5, 1.6), (6, 2, 1.5, 2))
REFERENCES: tuple[tuple[float, ...], ...] = ((1, 1.8), (4, 1.5, 1, 1.5, 1, 1.5))
# So many policies have a colour each; of more, so many stand out and the others are grey.
COLOURED, PROMINENT = len(HUES), 5


@dataclass(frozen=True)
class Look:
    """The policy `key` (p0, p1, ... in the order of the config), the same wherever it is shown."""

    key: str
    label: str
    colour: str
    dark: str
    dashes: tuple[float, ...] = ()
    muted: bool = False
    reference: bool = False

    @property
    def ink(self) -> str:
        """The colour of its name on a light page."""
        return FAINT[0] if self.muted else self.colour


def looks(
    policies: Mapping[str, Mapping[str, Any]],
    prominent: Sequence[str] | None = None,
    colours: Sequence[str] | None = None,
) -> dict[str, Look]:
    """Policy id -> look. Of those that are not `prominent` (if given) all but references are grey.

    A policy's own colour comes first, then `colours` of a style, then the palette. Labels that
    occur twice get their policy's id behind them.
    """
    labels = [" ".join(str(entry.get("label", name)).split()) for name, entry in policies.items()]
    result: dict[str, Look] = {}
    place = oracles = 0
    for i, (name, entry) in enumerate(policies.items()):
        label = labels[i] if labels.count(labels[i]) == 1 else f"{labels[i]} ({name})"
        own = as_hex(entry.get("colour", ""))
        if entry.get("reference"):
            dashes = REFERENCES[oracles % len(REFERENCES)]
            pair = (own, own) if own else INK
            result[name] = Look(f"p{i}", label, *pair, dashes, reference=True)
            oracles += 1
        elif prominent is not None and name not in prominent:
            result[name] = Look(f"p{i}", label, *GREY_LINE, muted=True)
        else:
            pair = HUES[place % len(HUES)]
            pair = (colours[place % len(colours)],) * 2 if colours else pair
            dashes = DASHES[place % len(DASHES)]
            result[name] = Look(f"p{i}", label, *((own, own) if own else pair), dashes)
            place += 1
    return result


def families(policies: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Policy id -> the colour of its family, by the order in which families appear."""
    names = list(dict.fromkeys(entry["family"] for entry in policies.values()))
    return {policy: HUES[names.index(e["family"])][0] for policy, e in policies.items()}


def as_hex(colour: str) -> str:
    """A config's colour, by name or number, as #rrggbb: nothing else may reach a style sheet."""
    if not colour:
        return ""
    from matplotlib.colors import to_hex

    return str(to_hex(colour))
