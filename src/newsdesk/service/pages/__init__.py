"""The pages for people: sign-in, annotation and campaigns, as HTML forms that also work without JavaScript."""
