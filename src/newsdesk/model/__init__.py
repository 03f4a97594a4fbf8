"""The one contract of things with settings and of fitted things, and the folder that a fitted thing is saved in."""
