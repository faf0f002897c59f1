"""``python -m nccl``."""

from .main import main

raise SystemExit(main())
