"""Put the numbers of docs/numbers into the documents: python tools/fill_numbers.py

A document has `<!-- numbers: NAME -->` and `<!-- end -->`; what stands between them is made of
docs/numbers/NAME.csv, a table whose first line names its command and date, or of NAME.md, a text.
benchmarks/docs_numbers.py writes these files from results.
"""

import csv
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NUMBERS = ROOT / "docs" / "numbers"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"(<!-- numbers: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
NUMBER = re.compile(r"\W?\d|\W?$")  # a digit, after a sign at most, or nothing


def filled(text: str) -> str:
    """The text of a document with its blocks regenerated."""
    return BLOCK.sub(lambda match: f"{match[1]}\n{block(match[2])}\n{match[3]}", text)


def block(name: str) -> str:
    text = NUMBERS / f"{name}.md"
    if text.exists():
        return text.read_text(encoding="utf-8")
    lines = (NUMBERS / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    source, date = lines[0].removeprefix("# ").rsplit(", ", 1)
    head, *rows = csv.reader(lines[1:])
    rule = [
        "---:" if all(NUMBER.match(row[k]) for row in rows) else "---" for k in range(len(head))
    ]
    table = "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))
    return f"{table}\n\n*{source}, {date}.*\n"


def write_table(name: str, source: str, date: str, rows: list[list[str]]) -> None:
    """Write docs/numbers/NAME.csv: head and rows, every cell as it is shown."""
    with (NUMBERS / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {source}, {date}\n")
        csv.writer(file, lineterminator="\n").writerows(rows)


def write_text(name: str, source: str, date: str, text: str) -> None:
    """Write docs/numbers/NAME.md: a text, as it is shown."""
    (NUMBERS / f"{name}.md").write_text(f"{text}\n*{source}, {date}.*\n", encoding="utf-8")


def fill_documents() -> None:
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        if filled(text) != text:
            path.write_text(filled(text), encoding="utf-8")
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    fill_documents()
