"""A figure's SVG as a part of the page: it follows the theme, and its ids are the page's own.

Only elements and attributes that draw are taken over, so nothing in the file can run.
"""

import re
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree  # nosec B405

from lincon.report import palette

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
DC = "{http://purl.org/dc/elements/1.1/}"
DRAWN = {"svg", "g", "path", "use", "defs", "clipPath", "rect", "text", "tspan", "image"}
HREF = f"{{{XLINK}}}href"
REFERENCE = re.compile(r"(?:^|url\()#([^)]+)")
# What is the title and the footer of a figure, and how high the line is (figures/parts.py).
EDGE = re.compile(r"(head|foot)-([0-9.]+)")
POLICY = re.compile(r"policy-(.+):\d+", re.DOTALL)
# Light colour -> dark colour.
THEME = {
    palette.LIGHT_PAGE.lower(): palette.DARK_PAGE,
    palette.INK.lower(): "#e4e8ec",
    **{light.lower(): dark for light, dark in palette.DARK.items()},
}
THEMED = re.compile("|".join(THEME), re.IGNORECASE)
# Screen pixels of a point, so that letters have one size in all figures of a wide page.
PIXELS = 1.8


class Picture(NamedTuple):
    svg: str
    title: str
    caption: str


def picture(path: Path, prefix: str) -> Picture:
    """The drawing without its title and footer; its title and caption are text of the page."""
    root = ElementTree.parse(path).getroot()  # nosec B314
    title, caption = (root.findtext(f".//{DC}{key}") or "" for key in ("title", "description"))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    edges = [EDGE.fullmatch(each.get("id", "")) for each in root.iter()]
    cut = {"head": 0.0, "foot": 0.0}
    for edge in filter(None, edges):
        cut[edge[1]] += float(edge[2])
    used = {name for each in root.iter() for value in each.attrib.values()
            for name in REFERENCE.findall(value)}  # fmt: skip
    _clean(root, prefix, used)
    box = f"0 {cut['head']:.2f} {width:.2f} {height - cut['head'] - cut['foot']:.2f}"
    style = f"max-width: {PIXELS * width:.0f}px"
    root.attrib = {"viewBox": box, "style": style, "role": "img", "aria-label": title}
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return Picture(ElementTree.tostring(root, encoding="unicode"), title, caption)


def _clean(element: ElementTree.Element, prefix: str, used: set[str]) -> None:
    """Keep what is drawn; prefix ids that are referred to, and turn those of policies into data."""
    for child in list(element):
        name = str(child.tag).removeprefix(f"{{{SVG}}}")
        if name not in DRAWN or EDGE.fullmatch(child.get("id", "")):
            element.remove(child)
            continue
        _clean(child, prefix, used)
        identity = child.attrib.pop("id", "")
        kept = {key: _value(key, x, prefix) for key, x in child.attrib.items() if _safe(key, x)}
        if identity in used:
            kept["id"] = prefix + identity
        if policy := POLICY.fullmatch(identity):
            kept["data-policy"] = policy[1]
        child.attrib = kept
        if name not in ("text", "tspan"):
            child.text = None
        child.tail = None if name != "tspan" else child.tail


def _safe(key: str, value: str) -> bool:
    """No handlers of events, and no links but to parts of the drawing and its own pixels."""
    if "href" in key:
        return key == HREF and value.startswith(("#", "data:image/png;base64,"))
    return not key.lower().startswith("on")


def _value(key: str, value: str, prefix: str) -> str:
    if key == "d":  # hundredths of a point
        return re.sub(r"(\.\d\d)\d+", r"\1", " ".join(value.split()))
    value = REFERENCE.sub(lambda found: found[0].replace("#", f"#{prefix}"), value)
    if key == "style":
        value = re.sub(r"font-family: [^;]*;?", "", value)
        return THEMED.sub(lambda found: f"var(--x{found[0][1:].lower()})", value)
    return value
