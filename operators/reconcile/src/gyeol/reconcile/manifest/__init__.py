"""Kubernetes objects as plain values: what a run asks of a cluster, built without touching one."""
