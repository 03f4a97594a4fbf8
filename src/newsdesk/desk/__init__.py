"""A newsroom that runs every day: new files become articles, events and summaries, and a ledger says what each run brought."""
