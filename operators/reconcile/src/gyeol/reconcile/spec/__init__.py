"""The specification of an AlignmentRun, a module for each part."""
