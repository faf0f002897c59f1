"""``make bench``: what is promised about speed, measured on this machine."""

from . import claims, command, growth, nccl

if __name__ == "__main__":
    command.run()
    growth.run()
    claims.run()
    nccl.run()
