"""One module an annotation tool: an export in, intake rows out."""
