"""Build HTML pages: sections of text, tables and figures, used by every report of newsdesk."""
