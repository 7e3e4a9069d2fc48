"""From judged hits to the weights of the weak rankers."""
