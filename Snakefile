"""lincon: linearly constrained bandits, from raw data to figures. See README.md."""

from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/inputs.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/summarise.smk"
include: "workflow/rules/theory.smk"
include: "workflow/rules/figures.smk"


rule all:
    """Every figure and table of every experiment in the config."""
    default_target: True
    input:
        wanted(),


onsuccess:
    shell("python3 -m lincon notices --folder results --spec {params:q}", params=SETTINGS)
