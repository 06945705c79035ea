"""The cluster hand: carries AlignmentRun, ModelPromotion and CulturePack out on Kubernetes."""
