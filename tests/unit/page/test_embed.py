"""Data within HTML: nothing in it can be taken for HTML, and it comes out as it went in."""

import base64
import gzip
import json

import numpy as np
import pandas as pd

from lincon.page.embed import columns, data_uri, packed

EVIL = {"</script><script>alert(1)</script>": ["<!--", "\u2028", "&amp;"]}


def test_packed_data_are_letters_and_digits_and_come_back():
    text = packed(EVIL)
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
    assert json.loads(gzip.decompress(base64.b64decode(text))) == EVIL
    assert packed(EVIL) == text


def test_columns_have_six_digits_and_null_for_what_is_no_number():
    frame = pd.DataFrame({"x": [1.23456789, np.nan, np.inf], "n": [1, 2, 3], "s": ["a", None, "b"]})
    assert columns(frame) == {
        "x": [1.23457, None, None],
        "n": [1, 2, 3],
        "s": ["a", None, "b"],
    }
    assert columns(pd.DataFrame({"f": [True, False]})) == {"f": [True, False]}


def test_a_file_becomes_part_of_the_page():
    assert data_uri(b"%PDF", "application/pdf") == "data:application/pdf;base64,JVBERg=="
