"""`snakemake --cores 8` here runs the workflow; all of it is in workflow/."""


include: "workflow/Snakefile"


# An included file cannot say what is made when nothing is asked for.
workflow.default_target = "all"
