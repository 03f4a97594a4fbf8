"""Articles from any file: tables, JSON, Parquet, texts, feeds and published collections become articles in our form."""
