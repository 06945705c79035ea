"""The gyeol command: carries an AlignmentRun out on one machine."""
