"""The two outcomes of a stack file: a plan, or a list of errors."""

import json

from pulumi_offline.errors import Refused
from pulumi_offline.project import Settings
from rdma_cluster.cli.stack_file import cloud_of
from rdma_cluster.common.stack import summarise_stack
from tests.clouds import CloudTests, Config


def planned(program: Settings) -> bool:
    """Whether a program can be planned; if not, it is refused in as many lines as it has errors."""
    try:
        summary = summarise_stack(cloud_of(program), program.config, program.stack)
        return bool(summary.to_dict()["pools"])
    except Refused as refused:
        lines = str(refused).splitlines()
        assert lines and all(line.strip() for line in lines)
        return False


def told(cloud: CloudTests, config: Config) -> Settings:
    """A program with these settings alone, as the texts that the engine hands over."""
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in config.items()}
    return Settings("rdma-cluster", cloud.name, texts)
