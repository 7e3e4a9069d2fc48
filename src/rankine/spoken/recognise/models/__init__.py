"""Models of recognisers on this machine, and where they come from"""
