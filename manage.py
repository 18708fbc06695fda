#!/usr/bin/env python
import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finclaw.settings")
    from finclaw.commands import run_command

    run_command(sys.argv)
