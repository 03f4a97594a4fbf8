"""The report of a campaign: progress, results, agreement, and an audit of the annotators."""

from newsdesk.campaigns.report.page import report_content, report_page, report_sections

__all__ = ["report_content", "report_page", "report_sections"]
