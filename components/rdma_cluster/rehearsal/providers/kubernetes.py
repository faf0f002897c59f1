"""Kubernetes, simulated. Its words are unverified: see ``ErrorTexts``."""

from ..cloud import Cloud, ErrorTexts

_ERROR_TEXTS = ErrorTexts(
    exists='resource "{name}" already exists: object is being created by another client',
    absent='"{other}" not found',
    in_use='"{name}" is in use by "{other}"',
    quota='"{name}" is forbidden: exceeded quota: {token}',
    capacity='"{name}": 0/2 nodes are available: insufficient capacity',
    timeout='the Kubernetes API server reported that "{name}" failed to fully initialize or become live: timed out '
    "waiting for the condition within {other}",
    unavailable="the server is currently unable to handle the request: {name}",
)

KUBERNETES = Cloud(package="kubernetes", sdk="pulumi_kubernetes", error_texts=_ERROR_TEXTS)
