"""Stands in for the program ``vllm``: takes exactly the flags that the package defines, and prints what it was told.

Usage: vllm_stub.py serve MODEL [--FLAG [VALUE]]...
"""

import argparse
import json
import os
import sys


def parser() -> argparse.ArgumentParser:
    """The parser that the recorded flags make; no flag may be shortened, as in vLLM's own subcommand."""
    from rdma_cluster.catalog.vllm import BARE, SWITCHES, VALUED

    made = argparse.ArgumentParser(prog="vllm serve", allow_abbrev=False)
    made.add_argument("model_tag", nargs="?")
    for name in sorted(VALUED):
        made.add_argument(f"--{name}")
    for name in sorted(SWITCHES):
        made.add_argument(f"--{name}", action=argparse.BooleanOptionalAction)
    for name in sorted(BARE):
        made.add_argument(f"--{name}", action="store_true")
    return made


def main(argv: list[str]) -> None:
    """Prints the flags that were given, and some of what stands in the environment."""
    if argv[:1] != ["serve"]:
        sys.exit(f"vllm: no subcommand {argv[:1]}")
    told = {key: value for key, value in vars(parser().parse_args(argv[1:])).items() if value not in (None, False)}
    print(json.dumps({"told": told, "sourced": os.environ.get("SOURCED", "")}))


if __name__ == "__main__":
    main(sys.argv[1:])
