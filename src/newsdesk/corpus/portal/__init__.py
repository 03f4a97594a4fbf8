"""Events of Wikipedia's Current Events Portal, from HTML of every layout and from wikitext.

`parse_page` reads one page; `collect` reads many and merges what they repeat.
"""
