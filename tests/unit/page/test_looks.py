"""How policies look: told apart, seen on either background, and never a hole for CSS."""

import pytest

from lincon.page.looks import DARK, DARK_PAGE, LIGHT, LIGHT_PAGE, looks


def luminance(colour: str) -> float:
    """As WCAG 2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("colours", "page"), [(LIGHT, LIGHT_PAGE), (DARK, DARK_PAGE)])
def test_every_line_has_the_contrast_that_wcag_asks_of_charts(colours, page):
    assert min(contrast(colour, page) for colour in colours) >= 3.0


def test_eighteen_policies_differ_in_line_and_in_mark():
    made = looks({f"p{i}": {"label": f"policy {i}"} for i in range(18)}).values()
    assert len({(look.light, look.dash) for look in made}) == 18
    assert len({(look.light, look.shape) for look in made}) == 18


def test_the_same_label_twice_gets_its_id():
    made = looks({"a": {"label": "TS"}, "b": {"label": "TS"}})
    assert [look.label for look in made.values()] == ["TS (a)", "TS (b)"]


def test_a_colour_is_a_colour_or_is_not_used():
    made = looks(
        {
            "a": {"colour": "red"},
            "b": {"colour": "#123456"},
            "c": {"colour": "red; background: url(x)"},
        }
    )
    assert made["a"].light == made["a"].dark == "#ff0000"
    assert made["b"].light == "#123456"
    assert made["c"].light == LIGHT[2]
