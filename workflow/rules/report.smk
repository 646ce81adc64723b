"""Tables and figures of every experiment, and the page of the study.

In: outcomes, curves, problems and arms. Out, in the study's folder: tables/{experiment}/,
figures/{experiment}/, report.html, study.json.
"""

from lincon.study.style import Style, source

STYLE = CONFIG.get("style", {})


rule tables:
    """League and claims of {wildcards.experiment}, or the table of its sweep."""
    input:
        unpack(lambda wildcards: results_of(wildcards.experiment)),
    output:
        folder=directory(f"{OUT}/tables/{{experiment}}"),
    log:
        f"{LOGS}/tables/{{experiment}}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        experiment=lambda wildcards: PLAN.experiment(wildcards.experiment),
        code=fingerprint("report", script="tables.py"),
    script:
        "../scripts/tables.py"


rule figures:
    """Draw the figures of {wildcards.experiment}."""
    input:
        unpack(lambda wildcards: results_of(wildcards.experiment)),
        style=source(Style(**STYLE)),
    output:
        folder=report(
            directory(f"{OUT}/figures/{{experiment}}"),
            patterns=["{figure}.png"],
            caption="../report/figures.rst",
            category="{experiment}",
            labels={"figure": "{figure}"},
        ),
    log:
        f"{LOGS}/figures/{{experiment}}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        experiment=lambda wildcards: as_json(PLAN.experiment(wildcards.experiment)),
        style=as_json(STYLE),
        code=fingerprint("report", script="figures.py"),
    script:
        "../scripts/figures.py"


rule page:
    """Write the page of the study, the figure of all its experiments, and its record."""
    input:
        **results_of(*PLAN.axes),
        figures=expand(f"{OUT}/figures/{{experiment}}", experiment=PLAN.axes),
        style=source(Style(**STYLE)),
    output:
        page=report(
            f"{OUT}/report.html",
            caption="../report/page.rst",
            category="Answer",
            labels={"figure": "Open first: the page of the study"},
        ),
        panels=directory(f"{OUT}/figures/all"),
        study=f"{OUT}/study.json",
    log:
        f"{LOGS}/page.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        config=as_json(CONFIG),
        experiments=as_json([PLAN.experiment(name) for name in PLAN.axes]),
        code=fingerprint("report", script="page.py"),
    script:
        "../scripts/page.py"
