"""Runs in SkyPilot's environment: holds the output `skypilot` of a GKE stack, JSON on stdin, against its schemas."""

import json
import sys

from sky.utils import common_utils, schemas

told = json.load(sys.stdin)
config = {"kubernetes": {"context_configs": {"context": told["context"]}}}
common_utils.validate_schema(config, schemas.get_config_schema(), "the configuration: ")
for name, task in told["tasks"].items():
    common_utils.validate_schema({"config": task}, schemas.get_task_schema(), f"a task on {name}: ")
