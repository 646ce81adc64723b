"""Functions of wildcards for what is made of runs: tables, figures, the page, and all that is wanted.

In: CONFIG and PLAN. Out: paths, and the `job` values that the rules have as params.
"""

from lincon.analysis.layout import RESULT_FILES, STUDY_TEXT_FILES, TEXT_FILES
from lincon.figures.registry import figure_names
from lincon.study.plan import suited_figures as sweep_figures

# The config as results may show it.
SHOWN = CONFIG | {"mirrors": [without_passwords(mirror) for mirror in CONFIG["mirrors"]]}


def title(wildcards):
    return PLAN.experiments[wildcards.experiment].label


def policy_label(name):
    """The label of a policy, and whether it is a reference that knows the means."""
    entry = CONFIG["policies"][name]
    reference = {"reference": True} if entry.get("estimator") == "truth" else {}
    return {"label": entry.get("label", name)} | reference


def policy_look(name):
    """What a policy is called and its colour, which figures and the page alone depend on."""
    entry = CONFIG["policies"][name]
    return policy_label(name) | ({"colour": entry["colour"]} if "colour" in entry else {})


def policy_colours(policies):
    """The ids of policies that have a colour of their own, with it."""
    entries = {identity: CONFIG["policies"][name] for identity, name in policies.items()}
    return {identity: entry["colour"] for identity, entry in entries.items() if "colour" in entry}


def all_policies():
    """The ids of the study's policies, with the names that the config knows them by."""
    return {identity: player.name for identity, player in PLAN.players.items()}


def compared(experiment):
    """The ids of the two policies that the claims compare, if both play in an experiment."""
    by_name = {name: identity for identity, name in experiment.points[0].policies.items()}
    compare = CONFIG.get("compare", [])
    return [by_name[name] for name in compare] if set(compare) <= set(by_name) else []


def analyse_job(wildcards):
    experiment, point = PLAN.experiments[wildcards.experiment], the_point(wildcards)
    return job(
        "analyse",
        name=wildcards.experiment,
        title=title(wildcards),
        players=players(point.setting, point.policies),
        runs=CONFIG["runs"],
        resamples=CONFIG["resamples"],
        seed=CONFIG["seed"],
        gamma=CONFIG["gamma"],
        bands=CONFIG.get("bands", "pointwise"),
        compare=compared(experiment),
        looks={identity: policy_label(name) for identity, name in point.policies.items()},
    )


def figures_job(wildcards):
    experiment = PLAN.experiments[wildcards.experiment]
    return job(
        "figures",
        figures=figure_names(bool(compared(experiment))),
        colours=policy_colours(the_point(wildcards).policies),
        style=STYLE,
    )


def tables_job(wildcards):
    return job(
        "tables",
        study=CONFIG["study"],
        settings=[list(setting) for setting in PLAN.settings],
        labels={identity: policy_label(name)["label"] for identity, name in all_policies().items()},
    )


def all_settings(pattern):
    return [pattern.format(dataset=d, eta=e, horizon=h) for d, e, h in PLAN.settings]


def sweep_inputs(pattern):
    """An input function: `pattern` filled in with every point of the wildcards' sweep."""
    return lambda wildcards: [
        pattern.format(**vars(point)) for point in PLAN.experiments[wildcards.experiment].points
    ]


def sweep_entry(name):
    """What figures and the page need to know of a sweep."""
    experiment = PLAN.experiments[name]
    return {
        "title": experiment.label,
        "axes": list(experiment.axes),
        "points": [vars(point) for point in experiment.points],
        "looks": {name: policy_look(name) for name in experiment.points[0].policies.values()},
    }


def sweep_job(wildcards):
    entry = sweep_entry(wildcards.experiment)
    return job("sweep", study=CONFIG["study"], figure=wildcards.figure, style=STYLE, **entry)


def plain_experiments():
    """The experiments that are no sweeps."""
    return [name for name, experiment in PLAN.experiments.items() if not experiment.is_sweep]


def page_job(wildcards):
    sweeps = [name for name in PLAN.experiments if name not in plain_experiments()]
    return job(
        "page",
        study=CONFIG["study"],
        config=SHOWN,
        datasets=list(PLAN.datasets),
        experiments=plain_experiments(),
        sweeps=[{"name": name} | sweep_entry(name) for name in sweeps],
        colours=policy_colours(all_policies()),
    )


def experiment_figures(names):
    """The pictures of an experiment, as PNG; beside each is the same in the other formats."""
    return [f"{STUDY.figures}/{name}.png" for name in names]


def in_other_formats(pictures):
    stems = [picture.removesuffix(".png") for picture in pictures]
    return [f"{stem}.{suffix}" for stem in stems for suffix in FORMATS if suffix != "png"]


def wanted_figures():
    """Every figure of every experiment, in every format."""
    files = []
    for name, experiment in PLAN.experiments.items():
        figures = figure_names(bool(compared(experiment)))
        if experiment.is_sweep:
            figures = sweep_figures(experiment.axes)
        files += [picture.format(experiment=name) for picture in experiment_figures(figures)]
    return files + in_other_formats(files)


def wanted_texts():
    """The tables of the study and of every experiment, as Markdown and LaTeX."""
    experiments = [STUDY.tables_of(name) for name in plain_experiments()]
    own = [f"{folder}/{name}" for folder in experiments for name in TEXT_FILES]
    return [STUDY.table(name) for name in STUDY_TEXT_FILES] + own


def shown_tables(table):
    """A table of every experiment, as HTML, where Snakemake's report shows it."""
    look = {"caption": f"../report/{table}.rst", "subcategory": table}
    files = {name: f"{STUDY.tables_of(name)}/{table}.html" for name in plain_experiments()}
    return [report(file, category=name, **look) for name, file in files.items()]


def published_files():
    """The files of published runs that the experiments ask for."""
    return {found.file: fetched_keys(found.entry) for found in PUBLISHED.values()}


def published_job(wildcards):
    found, point = PUBLISHED[wildcards.experiment], the_point(wildcards)
    return job(
        "published",
        players=players(point.setting, found.policies),
        runs=CONFIG["runs"],
        policies=found.policies,
        entry=found.entry,
        colours=policy_colours(point.policies),
        style=STYLE,
    )


def published_results(wildcards):
    """What is made of published runs; nothing of a file that could not be had, which is empty."""
    files = []
    for name, found in PUBLISHED.items():
        checkpoints.fetch_published.get(published=found.file)
        if Path(paths.RAW.format(file=found.file)).stat().st_size:
            files += [f"{STUDY.tables_of(name)}/published.{suffix}" for suffix in ("md", "tex")]
    return files


def manifest_job(wildcards):
    settings = PLAN.settings.items()
    problems = {paths.PROBLEM.format(dataset=dataset, eta=eta) for dataset, eta, _ in PLAN.settings}
    return job(
        "manifest",
        study=CONFIG["study"],
        files=sorted(problems | {paths.ARMS.format(dataset=name) for name in PLAN.datasets}),
        players=[player for setting, ids in settings for player in players(setting, ids)],
        trees=TREES,
        runs=CONFIG["runs"],
    )


def wanted():
    """Every figure and table of every experiment and atlas, the study's page and its manifest."""
    maps = expand(f"{STUDY.atlas}/map.png", atlas=ATLASES)
    maps += in_other_formats(maps) + expand(f"{STUDY.atlas}/atlas.tex", atlas=ATLASES)
    # A study of atlases alone has no setting that a page could show.
    if not PLAN.experiments:
        return maps
    # All that a reader opens, by name: Snakemake would not miss a page behind a manifest.
    page = [STUDY.page, STUDY.provenance, STUDY.manifest]
    return maps + page + wanted_figures() + wanted_texts() + lost_files()


def lost_files():
    """What Snakemake would not miss, because all that was made of it is still there."""
    files = []
    for setting, policies in PLAN.settings.items():
        dataset, eta, horizon = setting
        if Path(STUDY.summary.format(dataset=dataset, eta=eta, horizon=horizon)).exists():
            for tree in TREES:
                files += runs_of(tree, setting, policies)
    if CONFIG["data"] == "real":
        files += [paths.RAW.format(file=name) for name in wanted_files()]
    return [file for file in files if not Path(file).exists()]
