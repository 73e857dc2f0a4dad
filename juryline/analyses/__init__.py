"""An analysis of the specification over a protocol view: integer codes in, labelled estimates out."""
