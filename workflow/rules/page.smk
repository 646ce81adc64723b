"""The page of the study.

In: the tables and figures of every experiment, the summaries of sweeps. Out: report.html, which
opens without a network, and provenance.json, in the study's folder.
"""

# The first screen of Snakemake's report (workflow.rst) reads the config.
config["stand_ins"] = [
    name
    for name, entry in PLAN.datasets.items()
    if standin_used(entry, CONFIG["data"], lambda file: rules.fetch.output.raw.format(file=file))
]


def wanted_figures():
    """Every figure of every experiment."""
    files = []
    for name, one in PLAN.experiments.items():
        names = one.figures if one.is_sweep else figure_names(bool(HERE.compared(one)))
        files += in_formats(FIGURES.format(experiment=name), names, FORMATS)
    return files


rule page:
    """Write the page of the study."""
    input:
        arms=lambda wildcards: [ARMS.format(dataset=identity(dataset)) for dataset in PLAN.datasets],
        tables=[f"{TABLES.format(experiment=name)}/results.json" for name in HERE.plain],
        summaries=lambda wildcards: [f for name in HERE.sweeps for f in of_points(SUMMARY, name)],
        problems=lambda wildcards: [f for name in HERE.sweeps for f in of_points(PROBLEM, name)],
        figures=wanted_figures(),
    output:
        page=shown(f"{STUDY}/report.html", "Open first: the page of the study", "page", "Answer"),
        provenance=f"{STUDY}/provenance.json",
    log:
        f"{LOG}/page.log",
    localrule: True
    params:
        config=CONFIG,
        sweeps=[sweep_params(name) for name in HERE.sweeps],
        colours=HERE.looks("colour"),
        code=fingerprint("report.page"),
    script:
        "../scripts/page.py"
