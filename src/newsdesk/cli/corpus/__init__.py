"""`newsdesk corpus`, one file for each verb."""
