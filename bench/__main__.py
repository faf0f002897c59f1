"""``make bench``: what is promised about speed, measured on this machine."""

from . import command, growth

if __name__ == "__main__":
    command.run()
    growth.run()
