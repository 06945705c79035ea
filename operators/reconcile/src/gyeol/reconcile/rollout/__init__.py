"""What to do next about a ModelPromotion: pure, like the decision about runs."""
