"""What an AlignmentRun is and what to do about it next.

Pure: no Kubernetes library, no client and no clock are imported here.
The two hands (`gyeol.local`, `gyeol.cluster`) observe a world, ask `decide.decide` and carry its plan out.
"""
