"""`python -m lincon STAGE ...`."""

import sys

from lincon.command_line.main import main

sys.exit(main())
