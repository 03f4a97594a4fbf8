"""The report of a study: results that other commands printed as JSON, told as one self-contained page."""

from newsdesk.studies.report.story import Report, read_report, result_page

__all__ = ["Report", "read_report", "result_page"]
