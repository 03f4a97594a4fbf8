"""The parts of an HTML page: sections of text, tables and pictures; every part of newsdesk can show itself with them."""
