"""``make bench``: what is promised about speed, measured on this machine.

``python -m bench --quick`` runs each part once on its smallest case, to see that it runs: its figures mean nothing.
"""

import sys

from . import claims, command, growth, nccl

if __name__ == "__main__":
    if sys.argv[1:] == ["--quick"]:
        command.run(rounds=1, stacks=("gke",))
        growth.run(pools=(1,), stacks=growth.STACKS[:1], rounds=1)
        claims.run(rounds=1)
        nccl.run(size_mb=6, kinds=("mixture",), most_tests=10)
    else:
        command.run()
        growth.run()
        claims.run()
        nccl.run()
