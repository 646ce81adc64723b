"""Figures, as PNG and in the other formats of the style, in the study's folder.

In: the tables of experiments, for sweeps summaries and problems. Out: figures/{experiment}/...
"""

from lincon.report.figures.registry import LABELS, figure_names

CAPTIONS = [f"{FIGURES}/captions.{suffix}" for suffix in ("md", "tex")]


def sweep_params(name):
    """What figures and the page need to know of a sweep, apart from its files."""
    experiment = PLAN.experiments[name]
    names = experiment.points[0].policies.values()
    return {
        "name": name,
        "title": experiment.label,
        "axes": list(experiment.axes),
        "points": [
            {"horizon": p.horizon, "coordinates": p.coordinates, "policies": p.policies}
            for p in experiment.points
        ],
        "policies": {name: HERE.look(name, coloured=True) for name in names},
    }


def of_points(pattern, name):
    return [in_setting(pattern, point.setting) for point in PLAN.experiments[name].points]


def pictures(names):
    """The figures of an experiment as PNG, which Snakemake's report lists by what they show."""
    files = {name: f"{FIGURES}/{name}.png" for name in names}
    # The others are in the page, which the report holds.
    for name in {"league", "plane", "panels"} & set(names):
        files[name] = shown(files[name], LABELS[name], "figures", "{experiment}")
    return list(files.values())


rule figures:
    """Draw all figures of {wildcards.experiment}."""
    input:
        tables=rules.analyse.output.tables,
        style=STYLE_FILE,
    output:
        png=pictures(figure_names(compared=False)),
        others=in_formats(FIGURES, figure_names(compared=False), OTHERS),
        captions=CAPTIONS,
    log:
        f"{LOG}/figures/{{experiment}}.log",
    wildcard_constraints:
        experiment=any_of(name for name in HERE.plain if not HERE.compared(PLAN.experiments[name])),
    localrule: True
    params:
        colours=lambda wildcards: HERE.looks("colour", point_of(wildcards).policies),
        style=STYLE,
        code=fingerprint("report.figures"),
    script:
        "../scripts/figures.py"


use rule figures as figures_with_claims with:
    output:
        png=pictures(figure_names(compared=True)),
        others=in_formats(FIGURES, figure_names(compared=True), OTHERS),
        captions=CAPTIONS,
    wildcard_constraints:
        experiment=any_of(name for name in HERE.plain if HERE.compared(PLAN.experiments[name])),


rule sweep_figure:
    """Draw the {wildcards.figure} of {wildcards.sweep}."""
    input:
        summaries=lambda wildcards: of_points(SUMMARY, wildcards.sweep),
        problems=lambda wildcards: of_points(PROBLEM, wildcards.sweep),
        style=STYLE_FILE,
    output:
        png=shown(f"{STUDY}/figures/{{sweep}}/{{figure}}.png", "{figure}", "sweep", "{sweep}"),
        others=in_formats(f"{STUDY}/figures/{{sweep}}", ["{figure}"], OTHERS),
    log:
        f"{LOG}/sweep_figure/{{sweep}}/{{figure}}.log",
    wildcard_constraints:
        sweep=any_of(HERE.sweeps),
        figure="sweep|frontier|heat_map",
    localrule: True
    params:
        sweep=lambda wildcards: sweep_params(wildcards.sweep),
        style=STYLE,
        code=fingerprint("report.figures"),
    script:
        "../scripts/sweep_figure.py"
