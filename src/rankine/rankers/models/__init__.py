"""Models as files: their form, where they come from, and the features they know"""
