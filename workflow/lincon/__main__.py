"""`python -m lincon COMMAND ...`."""

import sys

from lincon.cli.main import main

sys.exit(main())
