"""A figure's SVG as a part of the page: it follows the theme, and its ids are the page's own.

What labels hold is escaped by Matplotlib; the page's policy lets no script run but its own.
"""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree  # nosec B405

from markupsafe import Markup

from lincon.report import palette

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
DC = "{http://purl.org/dc/elements/1.1/}"
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


def picture(path: Path, prefix: str) -> dict[str, Any]:
    """The drawing without its title and footer; its title and caption are text of the page."""
    root = ElementTree.parse(path).getroot()  # nosec B314
    title, caption = (root.findtext(f".//{DC}{key}") or "" for key in ("title", "description"))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    cut = {"head": 0.0, "foot": 0.0}
    for parent in list(root.iter()):
        for child in list(parent):
            edge = EDGE.fullmatch(child.get("id", ""))
            if edge:
                cut[edge[1]] += float(edge[2])
            if edge or child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    for each in root.iter():
        each.attrib = {key: _value(key, x, prefix) for key, x in each.attrib.items()}
        if policy := POLICY.fullmatch(each.get("id", "").removeprefix(prefix)):
            each.set("data-policy", policy[1])
    box = f"0 {cut['head']:.2f} {width:.2f} {height - cut['head'] - cut['foot']:.2f}"
    style = f"max-width: {PIXELS * width:.0f}px"
    root.attrib = {"viewBox": box, "style": style, "role": "img", "aria-label": title}
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    svg = Markup(ElementTree.tostring(root, encoding="unicode"))  # nosec B704
    return {"svg": svg, "title": title, "caption": caption}


def _value(key: str, value: str, prefix: str) -> str:
    """An attribute with the page's ids and colours, and hundredths of a point."""
    if key == "d":
        return re.sub(r"(\.\d\d)\d+", r"\1", " ".join(value.split()))
    if key == "id":
        return prefix + value
    value = re.sub(r"(^|url\()#", rf"\1#{prefix}", value) if "#" in value else value
    if key == "style":
        value = re.sub(r"font-family: [^;]*;?", "", value)
        return THEMED.sub(lambda colour: f"var(--x{colour[0][1:].lower()})", value)
    return value
