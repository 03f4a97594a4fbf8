"""What is done with a stored campaign: plan it, send and import sheets, show tasks to annotators, exclude, export."""
