"""Attack mining and candidate answers under a policy."""
