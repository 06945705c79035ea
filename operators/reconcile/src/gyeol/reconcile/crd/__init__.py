"""CustomResourceDefinitions, made from the models: there is no second copy of a field, its bounds or its description."""
