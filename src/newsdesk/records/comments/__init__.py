"""Comments of other systems, read as threads: flat files and workbooks with one comment a row, articles with their comments in a list, exports of Disqus, Coral and WordPress, and conversations of Mastodon, ActivityStreams and Bluesky.

Every reader turns a row into cells named by the fields of `cells`; `grouping` makes comments of them and collects them into threads. What cannot be read is
rejected row by row and counted with its reason; columns that mean nothing to us are ignored and counted.
"""
