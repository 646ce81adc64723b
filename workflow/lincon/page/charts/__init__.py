"""The page's charts, one module a family; each makes Vega-Lite specifications with Altair."""
