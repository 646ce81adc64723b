"""Reports: tables, figures, terminal and page of a study."""
