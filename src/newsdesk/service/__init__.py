"""The web app: annotation, campaigns and the HTTP API in one process over one folder of data (extra `serve`)."""
