"""`python -m lincon STAGE ...`."""

import sys

from lincon.command_line.stages import main

sys.exit(main())
