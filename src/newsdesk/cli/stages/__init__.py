"""The stages of `newsdesk demo`, one file each: a function that takes the demo's folder and returns its section."""
