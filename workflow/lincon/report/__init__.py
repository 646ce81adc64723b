"""What a person looks at: sentences, tables, figures and the page of a study."""
