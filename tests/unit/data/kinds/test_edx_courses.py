"""Courses to arms: normalised participants, thousands, equal labels, tables that make no sense."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from lincon.data.sources import extract
from lincon.errors import UserError
from tests.real_data import CONFIG, real_arms


def courses(folder: Path, *rows: str) -> tuple[dict, list[Path]]:
    header = '"Institution","Course Number","Short Title1","Participants","Certified"'
    path = folder / "edX-Course.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return {"kind": "edx_courses", "files": {path.name: {}}}, [path]


def test_edx_facts_of_the_real_file(mirror):
    made, _ = real_arms(mirror)["edx"]
    assert len(made) == 290
    assert (made.mean[249], made.value[249]) == pytest.approx((0.207431, 0.092220), abs=1e-6)
    assert (int(np.sum(made.value == 0)), int(np.sum(made.mean >= 0.5))) == (4, 3)
    assert spearmanr(made.mean, made.value).statistic == pytest.approx(-0.22, abs=0.005)
    assert made.label[0] == "HarvardX GOV1368.1x EdPol-a2"
    assert (made.dataset, made.source, made.note) == ("edx", "real", "")
    assert made.sha256 == CONFIG["datasets"]["edx"]["files"]["edX-Course.csv"]["sha256"]


def test_participants_are_normalised_thousands_read_and_equal_labels_numbered(tmp_path):
    rows = ('M,1,a,"3,000","1,500"', 'M,1,a,"1,000",0', 'M,3,c,"2,000",500')
    made = extract(*courses(tmp_path, *rows), "edx")
    assert made.mean.tolist() == [1, 0, 0.5]
    assert made.value.tolist() == [0.5, 0, 0.25]
    assert made.label == ("M 1 a", "M 1 a #2", "M 3 c")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["M,1,a,10,1", "M,2,b,many,1"], "not a table of courses: could not convert .* 'many'"),
        (["M,1,a,10,1", "M,2,b,20,"], "row 3 lacks one; each row needs Institution, Course"),
        (["M,1,a,10,1", "M,2"], "row 3 lacks one"),
        (["M,1,a,10,1", "M,2,b,20,21"], r"row 3: value is 1\.05"),
        ([], "not a table of courses: it has no rows"),
        (["M,1,a,10,1"], "not a table of courses: all have as many participants"),
    ],
)
def test_edx_tables_that_make_no_sense_are_refused(tmp_path, rows, message):
    with pytest.raises(UserError, match=message):
        extract(*courses(tmp_path, *rows), "edx")


def test_edx_is_made_from_one_file_with_its_columns(tmp_path):
    spec, raw = courses(tmp_path)
    raw[0].write_text("Institution,Participants\nM,3\n")
    with pytest.raises(UserError, match=r"columns expected but not found: .*'Course Number'"):
        extract(spec, raw, "edx")
    with pytest.raises(UserError, match=r"edx\.files names a.csv, b.csv; allowed: one file"):
        extract({"kind": "edx_courses", "files": {"a.csv": {}, "b.csv": {}}}, [], "edx")
