"""Labels in files that others read: shown as they are, and nothing of them is run."""

from __future__ import annotations

import pytest

from lincon.analysis.text import LATEX, latex_text, markdown_text, one_line

HOSTILE = (
    r"\input{/etc/passwd}",
    r"\immediate\write18{touch pwned}",
    "$x^2$ & 100% #1 _a_ ~ {}",
    "a\nb\r\nc\td\x00e\x1b[31m",
    "<script>alert(1)</script>",
    "[x](javascript:alert(1)) ![y](http://x) `z` | a | b",
    "=cmd|' /C calc'!A0",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_latex_has_no_command_but_our_own(text):
    made = latex_text(text)
    for known in sorted(set(LATEX.values()), key=len, reverse=True):
        made = made.replace(known, "")
    assert not set(made) & set("\\{}$&#%_^~<>|") and made.isprintable()


def test_latex_escapes_every_special_character():
    assert latex_text(r"\ { } $5 & # % _ ^ ~ <x>") == (
        r"\textbackslash{} \{ \} \$5 \& \# \% \_ \textasciicircum{} \textasciitilde{} "
        r"\textless{}x\textgreater{}"
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_has_no_markup(text):
    made = markdown_text(text)
    assert "\n" not in made and made.isprintable()
    plain = "".join(pair[1] if pair else "" for pair in _escaped(made))
    assert plain == one_line(text)


def _escaped(text: str):
    """Each character, with the backslash before those that would be markup."""
    waiting = iter(text)
    for character in waiting:
        if character == "\\":
            yield character, next(waiting)
        else:
            assert character not in "`*_{}[]<>#|$~", f"{character} is markup in {text}"
            yield "", character


def test_a_label_is_one_line():
    assert one_line("a\nb\r\nc\td\x00e") == "a b c d e"
