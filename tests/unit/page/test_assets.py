"""What is kept between pages is used again, unless it was damaged."""

from __future__ import annotations

import pytest

from lincon.page.assets import kept_text


def test_a_text_is_made_once(tmp_path):
    made = []

    def make() -> str:
        made.append(1)
        return "let x = '\u03b7';\nlet y = 2;\n"

    texts = {kept_text(tmp_path / "cache/vega.js", make) for _ in range(3)}
    assert texts == {"let x = '\u03b7';\nlet y = 2;\n"}
    assert len(made) == 1


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"no checksum", None])
def test_a_damaged_text_is_made_again(tmp_path, damage):
    path = tmp_path / "vega.js"
    kept_text(path, lambda: "let x = 1;\n")
    path.write_bytes(path.read_bytes()[:-3] if damage is None else damage)
    assert kept_text(path, lambda: "let x = 2;\n") == "let x = 2;\n"
    assert kept_text(path, lambda: "not made") == "let x = 2;\n"


def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path):
    (tmp_path / "file").write_text("no folder")
    assert kept_text(tmp_path / "file" / "vega.js", lambda: "let x = 1;\n") == "let x = 1;\n"
