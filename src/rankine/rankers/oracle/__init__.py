"""Where features meet a loss: what solvers ask of a ranker"""
