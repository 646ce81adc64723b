"""The page of the study.

In: the tables and figures of every experiment, the summaries of sweeps. Out: report.html, which
opens without a network, the tables as HTML, provenance.json, and the checksums of everything, in
the study's folder.
"""


rule page:
    """Write the page of the study."""
    input:
        plan=STUDY.plan,
        everything=STUDY.everything,
        gathered=[STUDY.table(f"{name}.parquet") for name in ("assumptions", "final")],
        arms=[paths.ARMS.format(dataset=dataset) for dataset in PLAN.datasets],
        tables=[f"{STUDY.tables_of(name)}/results.json" for name in plain_experiments()],
        figures=wanted_figures(),
    output:
        page=report(STUDY.page, caption="../report/page.rst", category="The answer"),
        leagues=shown_tables("league"),
        claims=shown_tables("claims"),
        tables=report(
            [STUDY.table(f"{name}.html") for name in ("assumptions", "final")],
            caption="../report/tables.rst",
            category="All experiments",
        ),
        provenance=STUDY.provenance,
    log:
        paths.LOG.format(rule="page", name=CONFIG["study"]),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=page_job,
    shell:
        "python3 -m lincon page --settings {params.job[settings]:q} --page {output.page:q}"
        " --provenance {output.provenance:q} > {log:q} 2>&1"


rule manifest:
    """Record the checksums of all that the study is made of."""
    input:
        page=STUDY.page,
        texts=wanted_texts(),
        figures=wanted_figures(),
        published=published_results,
    output:
        manifest=STUDY.manifest,
    log:
        paths.LOG.format(rule="manifest", name=CONFIG["study"]),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=manifest_job,
    shell:
        "python3 -m lincon manifest --settings {params.job[settings]:q} --out {output.manifest:q}"
        " > {log:q} 2>&1"
