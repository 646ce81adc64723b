"""Figures against small reference images, with a tolerance for fonts and rounding.

After a change that is meant, look at the new pictures and keep them:
`python -m tests.unit.figures.test_images`.
"""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from benchmarks.made_results import made_results, made_sweep
from lincon.report.figures.draw import draw
from lincon.report.figures.parts import looks_of
from lincon.report.figures.registry import drawing
from lincon.report.figures.style import styled

pytestmark = pytest.mark.slow

REFERENCES = Path(__file__).parent / "reference"
SMALL = {"arms": 30, "runs": 4, "horizon": 2_000}
CASES = {
    "panels_2": ("panels", {"policies": 2}),
    "panels_18": ("panels", {"policies": 18}),
    "league_18": ("league", {"policies": 18}),
    "plane_8": ("plane", {"policies": 8}),
    "shortfall_8": ("shortfall", {"policies": 8, "long_labels": True}),
    "plays_4": ("plays", {"policies": 4}),
    "arms": ("arms", {"policies": 2}),
    "frontier": ("frontier", None),
}
# Pictures are compared in blocks of so many pixels, so that a letter may shift a little, and this
# share of the blocks with ink may differ.
BLOCK, DIFFERENT = 4, 0.1


def picture(name: str) -> np.ndarray:
    """The picture in grey, one byte per pixel."""
    kind, settings = CASES[name]
    of = made_sweep() if settings is None else made_results(**SMALL | settings)
    with styled():
        figure = drawing(kind)(of)
        figure.set_dpi(50)
        figure.canvas.draw()
        return np.asarray(Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("L"))


def unlike(picture: np.ndarray, reference: np.ndarray) -> float:
    """The share of inked blocks that differ; all of them if the sizes do."""
    if picture.shape != reference.shape:
        return 1.0
    high, wide = (size // BLOCK for size in picture.shape)
    shape = (high, BLOCK, wide, BLOCK)
    ours, theirs = (
        each[: high * BLOCK, : wide * BLOCK].reshape(shape).mean(axis=(1, 3))
        for each in (picture, reference)
    )
    inked = np.minimum(ours, theirs) < 245.0
    return float(np.mean(np.abs(ours - theirs)[inked] > 20.0))


@pytest.mark.parametrize("name", list(CASES))
def test_figures_look_as_they_did(name):
    reference = np.asarray(Image.open(REFERENCES / f"{name}.png").convert("L"))
    assert unlike(picture(name), reference) <= DIFFERENT


def test_a_curve_that_is_gone_is_noticed():
    whole = picture("panels_2")
    erased = whole.copy()
    height, width = whole.shape
    erased[height // 5 : height // 2, : width // 2] = 255
    assert unlike(erased, whole) > DIFFERENT


def test_every_policy_keeps_its_colour_in_a_file(tmp_path):
    results = made_results(**SMALL | {"policies": 18})
    draw([tmp_path / "plane.png"], None, results)
    with Image.open(tmp_path / "plane.png") as image:
        seen = np.array([colour for _, colour in image.convert("RGB").getcolors(256)])
    with styled():
        looks = looks_of(results)
    for look in looks.values():
        if not look.muted:
            ink = 255 * np.array(to_rgb(look.ink))
            assert np.abs(seen - ink).max(axis=1).min() < 12, look.label


if __name__ == "__main__":
    for name in CASES:
        Image.fromarray(picture(name)).quantize(16).save(REFERENCES / f"{name}.png", optimize=True)
