"""Learning weights from judged queries, and the weights in use"""
