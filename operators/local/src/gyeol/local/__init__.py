"""The local hand: carries an AlignmentRun out on one machine, with processes where a cluster has pods."""
