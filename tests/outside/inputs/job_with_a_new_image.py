"""A finished Job under a name of its own gets another image."""

from pulumi_kubernetes.batch.v1 import Job, JobSpecArgs
from pulumi_kubernetes.core.v1 import ContainerArgs, PodSpecArgs, PodTemplateSpecArgs


def _job(image: str) -> None:
    pod = PodSpecArgs(restart_policy="Never", containers=[ContainerArgs(name="migrate", image=image)])
    spec = JobSpecArgs(template=PodTemplateSpecArgs(spec=pod))
    Job("migrate", metadata={"name": "migrate", "namespace": "team"}, spec=spec)


def before() -> None:
    _job("registry.example/migrate:1")


def after() -> None:
    _job("registry.example/migrate:2")
