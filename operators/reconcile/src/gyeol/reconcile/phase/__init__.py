"""The phases of a run. Each says whether the next one may begin, and writes into the draft what is to be done until then."""
