"""`kubectl apply -f FILE` without a cluster: what the real one prints when each object is new."""

import sys
from pathlib import Path

import yaml

verb, flag, file = sys.argv[1:]
assert (verb, flag) == ("apply", "-f")
for each in yaml.safe_load_all(sys.stdin if file == "-" else Path(file).read_text()):
    group, _, _ = each["apiVersion"].rpartition("/")
    kind = ".".join(filter(None, (each["kind"].lower(), group)))
    print(f"{kind}/{each['metadata']['name']} created")
