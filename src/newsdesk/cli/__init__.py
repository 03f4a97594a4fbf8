"""The command `newsdesk`: a file or a folder per noun, each imported when it is called."""
