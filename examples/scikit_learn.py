"""A ranker at the end of a pipeline of scikit-learn, its settings searched over folds of whole queries.

Run it with ``python examples/scikit_learn.py``; it takes a few seconds.
"""

import sklearn
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

import rankine as rk
from rankine.sample import judged_set

sklearn.set_config(enable_metadata_routing=True)  # qid reaches fit, predict and the scorer of every fold

data = judged_set(n_queries=40)
X, y, qid = data.X, data.y, data.qid
scoring = rk.scorer("nDCG@10")

pipeline = make_pipeline(QuantileTransformer(n_quantiles=50), rk.LinearRanker(loss="ranksvm-l2"))
search = GridSearchCV(pipeline, {"linearranker__C": [0.001, 0.01, 0.1]}, cv=rk.QueryKFold(4), scoring=scoring)

# The outer folds judge the search itself: their queries had no part in the choice of C.
outer = rk.QueryKFold(4, seed=1)
values = cross_val_score(search, X, y, cv=outer, scoring=scoring, params={"qid": qid})
single = cross_val_score(rk.SingleFeature(), X, y, cv=outer, scoring=scoring, params={"qid": qid})

print(f"nDCG@10 of the best feature, out of fold  {single.mean():.4f}")
print(f"nDCG@10 of the search, out of fold        {values.mean():.4f}")
print(f"the C of all queries                      {search.fit(X, y, qid=qid).best_params_['linearranker__C']}")
