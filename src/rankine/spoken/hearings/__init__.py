"""Further hearings: what other recognisers heard in the recordings of an archive"""
