"""Figures against small reference images, with a tolerance for fonts and rounding.

After a change that is meant, look at the new pictures and keep them:
`python -m tests.unit.figures.test_images`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.made_results import NAMES, made_results, made_sweep
from lincon.figures import drawing
from lincon.figures.registry import FIGURES, SWEEPS

pytestmark = pytest.mark.slow

REFERENCES = Path(__file__).parent / "reference"
SMALL = {"arms": 30, "runs": 4, "horizon": 2_000}
CASES = {
    "panels_2": ("panels", {"policies": 2}),
    "panels_18": ("panels", {"policies": 18}),
    "league_18": ("league", {"policies": 18}),
    "plane_8": ("plane", {"policies": 8}),
    "deficit_8": ("deficit", {"policies": 8}),
    "composite_8": ("composite", {"policies": 8, "long_labels": True}),
    "plays_4": ("plays", {"policies": 4}),
    "arms": ("arms", {"policies": 2}),
}
DPI = 50
# Pictures are compared in blocks of so many pixels, so that a letter may shift a little, and this
# share of the blocks with ink may differ.
BLOCK, DIFFERENT = 4, 0.1


def picture(name: str) -> np.ndarray:
    """The picture in grey, one byte a pixel."""
    with drawing.styled():
        if name == "heat_map":
            looks = drawing.looks({f"p{k}": {"label": NAMES[k]} for k in range(2)})
            sweep = made_sweep(("eta", "snr"), 2, 5)
            figure = SWEEPS["heat_map"].load()(sweep, looks, "A sweep")
        else:
            kind, settings = CASES[name]
            figure = FIGURES[kind].load()(made_results(**SMALL | settings))
        figure.set_dpi(DPI)
        figure.canvas.draw()
        colours = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(float)
    return np.rint(colours @ [0.299, 0.587, 0.114]).astype(np.uint8)


def unlike(picture: np.ndarray, reference: np.ndarray) -> float:
    """The share of inked blocks that differ; all of them if the sizes do."""
    if picture.shape != reference.shape:
        return 1.0
    ours, theirs = blocks(picture), blocks(reference)
    inked = np.minimum(ours, theirs) < 245.0
    return float(np.mean(np.abs(ours - theirs)[inked] > 20.0))


def blocks(picture: np.ndarray) -> np.ndarray:
    """The mean grey of each block."""
    high, wide = (BLOCK * (size // BLOCK) for size in picture.shape)
    cut = picture[:high, :wide].astype(float)
    return cut.reshape(high // BLOCK, BLOCK, wide // BLOCK, BLOCK).mean(axis=(1, 3))


@pytest.mark.parametrize("name", [*CASES, "heat_map"])
def test_figures_look_as_they_did(name):
    from PIL import Image

    reference = np.asarray(Image.open(REFERENCES / f"{name}.png").convert("L"))
    assert unlike(picture(name), reference) <= DIFFERENT


def test_a_curve_that_is_gone_is_noticed():
    whole = picture("panels_2")
    erased = whole.copy()
    height, width = whole.shape
    erased[height // 5 : height // 2, : width // 2] = 255
    assert unlike(erased, whole) > DIFFERENT


def keep() -> None:
    from PIL import Image

    REFERENCES.mkdir(exist_ok=True)
    for name in (*CASES, "heat_map"):
        Image.fromarray(picture(name)).quantize(16).save(REFERENCES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    keep()
