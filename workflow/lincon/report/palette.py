"""How a policy looks: its colour and dashes depend on its id alone, in every study and figure.

Every colour has a contrast of at least 4.5 to 1 against its page, as WCAG asks of text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

LIGHT_PAGE, DARK_PAGE = "#ffffff", "#16191d"
# On light and on dark. Okabe and Ito's hues, darkened or lightened until they are legible.
HUES = (
    *(("#0072B2", "#4FA8E0"), ("#B84A00", "#FF9350"), ("#00785A", "#2CC295")),
    *(("#A8478C", "#E69ACB"), ("#8A6000", "#E0B23F"), ("#00757F", "#4FC3CE")),
    *(("#6A4BB0", "#B49CF0"), ("#9A3B3B", "#F09090")),
)
INK, FAINT, GRID = "#1b1f24", "#6b6b6b", "#e4e4e4"
KEPT_SIDE, WARNING = "#e6f2ec", "#b00020"
# Light colour -> the dark one that replaces it on the page.
DARK = dict(HUES) | {FAINT: "#98a2ad", GRID: "#2c323a", KEPT_SIDE: "#1d3129", WARNING: "#ff8a94"}
# In points, on and off.
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.5, 1.6), (6, 2, 1.5, 2), (9, 2))
REFERENCE = (1.0, 1.8)
# Hue and dashes of policies with an id; others take a free pair by the hash of theirs.
ASSIGNED = {
    "lincon_ts": (0, 0),
    "lincon_kl_ucb": (1, 0),
    "con_ucb": (3, 0),
    "ts_paced": (5, 1),
    "ts_ledger": (2, 0),
    "gittins_ledger": (6, 0),
    "thompson": (7, 0),
    "kl_ucb": (4, 0),
    "uniform": (7, 2),
    "virtual_queue": (0, 1),
    "primal_dual_bwk": (1, 1),
    "lagrange_bwk": (3, 1),
    "pessimistic_lp": (4, 1),
    "cost_subsidy": (5, 3),
    "epsilon_first": (2, 1),
    "olla": (6, 1),
    "weighted_score": (7, 1),
    "mess_plus": (4, 0),
}
EVERY = [(hue, dash) for dash in (2, 3, 4) for hue in range(len(HUES))]
FREE = [place for place in EVERY if place not in ASSIGNED.values()]


@dataclass(frozen=True)
class Look:
    """How a policy is drawn. A reference is a thin line in ink."""

    label: str
    colour: str
    dashes: tuple[float, ...] = ()
    reference: bool = False


def looks(policies: Mapping[str, Mapping[str, Any]]) -> dict[str, Look]:
    """Policy id -> look; its config entry may choose the colour.

    Labels that occur twice get their policy's id in brackets.
    """
    labels = {p: " ".join(str(entry.get("label", p)).split()) for p, entry in policies.items()}
    every, places, result = list(labels.values()), dict(ASSIGNED), {}
    for policy in sorted(set(policies) - set(ASSIGNED)):
        # Where two ids of a study meet, the later by name moves on.
        start = crc32(policy.encode())
        turn = [FREE[(start + step) % len(FREE)] for step in range(len(FREE))]
        taken = set(places.values())
        places[policy] = next((place for place in turn if place not in taken), turn[0])
    for policy, entry in policies.items():
        label = labels[policy] + f" ({policy})" * (every.count(labels[policy]) > 1)
        hue, dash = places[policy]
        reference = bool(entry.get("reference"))
        colour = entry.get("colour") or (INK if reference else HUES[hue][0])
        dashes = REFERENCE if reference else DASHES[dash]
        result[policy] = Look(label, colour, dashes, reference)
    return result
