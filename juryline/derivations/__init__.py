"""Row work as Ibis expressions: history, exclusions, adjudication, protocol views, accounting."""
