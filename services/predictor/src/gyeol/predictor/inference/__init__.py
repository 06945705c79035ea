"""The KServe door: the Open Inference Protocol (v2) over HTTP and gRPC, and its predecessor v1."""
