"""`newsdesk records`: the verbs on files of records, one file each."""
