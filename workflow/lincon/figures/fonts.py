"""DejaVu Sans with the letters that figures use, and without its tables of ligatures and scripts.

Every PDF holds the glyphs that it shows. Matplotlib takes them out of the whole font, of 6,000
glyphs, for each file anew, which was nearly half of the time that figures took. What the slim font
lacks is taken from a copy of the whole one, second in the list of families. It is a copy because
Matplotlib orders the fonts of a PDF by the paths of their files: side by side, they stand in one
order whatever the folders of the checkout and of the user, and the bytes are the same.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path

import matplotlib
from fontTools import subset
from fontTools.ttLib import TTFont
from matplotlib.font_manager import fontManager

from lincon.files import replacing

FAMILY, SLIM, WHOLE = "DejaVu Sans", "DejaVu Sans Slim", "DejaVu Sans Whole"
FILES = ("DejaVuSans", "DejaVuSans-Bold")
# Latin, Greek, subscripts, punctuation, scripts and currencies, arrows and operators, shapes.
UNICODES = (
    *(*range(0x20, 0x250), *range(0x370, 0x400), *range(0x1D62, 0x1D6B)),
    *(*range(0x2000, 0x20D0), *range(0x2190, 0x2300), *range(0x25A0, 0x2700)),
)


@cache
def families() -> list[str]:
    """The families for Matplotlib's font.family; their files are made once and kept."""
    kept = f"{matplotlib.__version__}-{zlib.crc32(repr(UNICODES).encode()):08x}"
    for name in FILES:
        original = Path(matplotlib.get_data_path(), "fonts", "ttf", f"{name}.ttf")
        for family, make in ((SLIM, make_slim), (WHOLE, make_whole)):
            file = f"lincon-{name}-{family.rpartition(' ')[2]}-{kept}.ttf"
            path = Path(matplotlib.get_cachedir(), file)
            if not path.is_file():
                make(original, path)
            fontManager.addfont(path)
    return [SLIM, WHOLE]


def make_slim(original: Path, path: Path) -> None:
    options = subset.Options(
        layout_features=[], legacy_kern=True, glyph_names=True, notdef_outline=True, name_IDs=["*"]
    )
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "MATH", "FFTM"]
    with subset.load_font(str(original), options) as font:
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=UNICODES)
        subsetter.subset(font)
        _rename(font, SLIM)
        with replacing(path) as temporary:
            subset.save_font(font, str(temporary), options)


def make_whole(original: Path, path: Path) -> None:
    with TTFont(original, lazy=True, recalcTimestamp=False) as font:
        _rename(font, WHOLE)
        with replacing(path) as temporary:
            font.save(temporary)


def _rename(font: TTFont, family: str) -> None:
    for record in font["name"].names:
        if "DejaVu" in str(record) and record.nameID in (1, 3, 4, 6, 16):
            plain = str(record).replace(FAMILY, family)
            record.string = plain.replace("DejaVuSans", family.replace(" ", ""))
