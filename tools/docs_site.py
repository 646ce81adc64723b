"""MkDocs hook: pages that live elsewhere in the repository, files that pages link to, and MathJax.

Links in the documents are those of the repository, so that they work there too; here they are
turned into links of the site.
"""

import json
import logging
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
# Page of the site -> document of the repository.
ELSEWHERE = {
    "index.md": "README.md",
    "config.md": "config/README.md",
    "files.md": "results/README.md",
    "data.md": "resources/README.md",
    "changes.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
}
PAGE_OF = {document: page for page, document in ELSEWHERE.items()}
BADGE = re.compile(r"^!\[[^\]]*\]\(https://img.shields.io/.*\n", re.MULTILINE)
LINK = re.compile(r"(\]\(|src=\")(?!\w+:|#|/)([^)\s\"#]+)")
MATHJAX = "sphinx-mathjax-offline/static/mathjax/tex-svg.js"
MATHJAX_SETTINGS = """
window.MathJax = {
  tex: {inlineMath: [["\\\\(", "\\\\)"]], displayMath: [["\\\\[", "\\\\]"]]},
  options: {ignoreHtmlClass: ".*", processHtmlClass: "arithmatex"},
};
"""


def on_files(files: Files, config: Any) -> Files:
    for page, document in ELSEWHERE.items():
        files.append(File.generated(config, page, content=site_text(document)))
    for file in list(files.documentation_pages()):
        if file.src_uri not in ELSEWHERE:
            document = f"docs/{file.src_uri}"
            files.remove(file)
            files.append(File.generated(config, file.src_uri, content=site_text(document)))
    for notebook in (ROOT / "docs").glob("*.ipynb"):
        page = File.generated(config, f"{notebook.stem}.md", content=notebook_text(notebook))
        files.append(page)
    for linked in sorted(linked_files()):
        if files.get_file_from_path(linked) is None:
            files.append(File.generated(config, linked, abs_src_path=str(ROOT / linked)))
    add_mathjax(files, config)
    return files


def documents() -> list[str]:
    pages = [f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")]
    return sorted([*pages, *ELSEWHERE.values()])


def site_text(document: str) -> str:
    """The document without badges, with links that lead to the pages and files of the site."""
    text = BADGE.sub("", (ROOT / document).read_text(encoding="utf-8"))
    return LINK.sub(lambda match: match[1] + target(document, match[2]), text)


def target(document: str, link: str) -> str:
    path = normpath(PurePosixPath(document).parent / link)
    if path in PAGE_OF:
        return PAGE_OF[path]
    if path.endswith(".ipynb"):
        return f"{PurePosixPath(path).stem}.md"
    return path.removeprefix("docs/")


def linked_files() -> set[str]:
    """Files of the repository, other than documents, to which documents link."""
    found = set()
    for document in documents():
        for match in LINK.finditer((ROOT / document).read_text(encoding="utf-8")):
            path = normpath(PurePosixPath(document).parent / match[2])
            if not path.endswith((".md", ".ipynb")) and (ROOT / path).is_file():
                found.add(path)
    return {path for path in found if not path.startswith("docs/")}


def notebook_text(path: Path) -> str:
    """The cells of a notebook as Markdown, without output."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts = []
    for cell in cells:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
    return "\n\n".join(parts) + "\n"


def add_mathjax(files: Files, config: Any) -> None:
    """One file of MathJax as part of the site, so that formulas need no network."""
    try:
        source = Path(distribution("sphinx-mathjax-offline").locate_file(MATHJAX))
    except PackageNotFoundError:
        logging.getLogger("mkdocs.hooks.site").info("Without MathJax formulas are shown as TeX.")
        return
    files.append(File.generated(config, "assets/mathjax.js", content=MATHJAX_SETTINGS))
    files.append(File.generated(config, "assets/tex-svg.js", abs_src_path=str(source)))
    config.extra_javascript += ["assets/mathjax.js", "assets/tex-svg.js"]
