"""The command `newsdesk`: one file per noun, each imported when it is called."""
