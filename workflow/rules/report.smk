"""What people look at: tables and figures of every experiment, and the page of the study.

In: outcomes, curves, problems and arms. Out, in the study's folder: tables/{experiment}/,
figures/{experiment}/, report.html, study.json.
"""

from lincon.study.style import Style, source

STYLE = CONFIG.get("style", {})


def cells_of(pattern, experiments):
    """The files of these experiments, a file per cell of their grids, in order."""
    rows = PLAN.table[PLAN.table["experiment"].isin(experiments)]
    cells = rows.drop_duplicates(["experiment", "cell"])
    return expand(pattern, zip, **{key: cells[key] for key in GROUP_KEYS})


def of_experiment(pattern):
    return lambda wildcards: cells_of(pattern, [wildcards.experiment])


rule tables:
    """League and claims of {wildcards.experiment}, or the table of its sweep."""
    input:
        outcomes=of_experiment(OUTCOMES),
        curves=of_experiment(CURVES),
        problems=of_experiment(paths.PROBLEM),
        arms=of_experiment(paths.ARMS),
    output:
        folder=directory(f"{STUDY}/tables/{{experiment}}"),
    log:
        f"{LOGS}/tables/{{experiment}}.log",
    localrule: True
    params:
        experiment=lambda wildcards: PLAN.experiment(wildcards.experiment),
        code=fingerprint("report", script="tables.py"),
    script:
        "../scripts/tables.py"


rule figures:
    """Draw the figures of {wildcards.experiment}."""
    input:
        outcomes=of_experiment(OUTCOMES),
        curves=of_experiment(CURVES),
        problems=of_experiment(paths.PROBLEM),
        arms=of_experiment(paths.ARMS),
        style=source(Style(**STYLE)),
    output:
        folder=report(
            directory(f"{STUDY}/figures/{{experiment}}"),
            patterns=["{figure}.png"],
            caption="../report/figures.rst",
            category="{experiment}",
            labels={"figure": "{figure}"},
        ),
    log:
        f"{LOGS}/figures/{{experiment}}.log",
    localrule: True
    params:
        experiment=lambda wildcards: PLAN.experiment(wildcards.experiment),
        style=STYLE,
        code=fingerprint("report", script="figures.py"),
    script:
        "../scripts/figures.py"


rule page:
    """Write the page of the study, the figure of all its experiments, and how it was made."""
    input:
        outcomes=cells_of(OUTCOMES, PLAN.axes),
        curves=cells_of(CURVES, PLAN.axes),
        problems=cells_of(paths.PROBLEM, PLAN.axes),
        arms=cells_of(paths.ARMS, PLAN.axes),
        figures=expand(f"{STUDY}/figures/{{experiment}}", experiment=PLAN.axes),
        style=source(Style(**STYLE)),
    output:
        page=report(
            f"{STUDY}/report.html",
            caption="../report/page.rst",
            category="Answer",
            labels={"figure": "Open first: the page of the study"},
        ),
        panels=directory(f"{STUDY}/figures/all"),
        study=f"{STUDY}/study.json",
    log:
        f"{LOGS}/page.log",
    localrule: True
    params:
        config=CONFIG,
        experiments=[PLAN.experiment(name) for name in PLAN.axes],
        code=fingerprint("report", script="page.py"),
    script:
        "../scripts/page.py"
