"""The built-in judges: rule-based verifiers, named for what they check, never presented as language models.

All three vote on the panel's six criteria, each from its own viewpoint; `lexicon/criteria.yaml` says what each one asks.
"""
