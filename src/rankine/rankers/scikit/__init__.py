"""Where scikit-learn and other libraries meet rankers: arguments of fit, foreign arguments, scorers"""
