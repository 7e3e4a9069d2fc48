"""What trec_eval has besides: its names, its further measures, what it prints, judgments in groups"""
