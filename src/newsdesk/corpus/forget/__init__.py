"""Forgetting: an article, a domain or an author removed from every file of a corpus folder, and refused from then on."""
