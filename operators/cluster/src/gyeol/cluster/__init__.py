"""Kubernetes operator for AlignmentRun, ModelPromotion and CulturePack."""
