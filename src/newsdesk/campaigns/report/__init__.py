"""The report of a campaign: how far it is, what people said, how far they agree, who may have been careless."""

from newsdesk.campaigns.report.page import report_page, report_sections

__all__ = ["report_page", "report_sections"]
