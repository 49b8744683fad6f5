"""Under the address sanitizer, what is left in memory at the end counts in pytest's process alone:
programs of others, such as mpirun, are started with its library, too."""

import os

if os.environ.get("STICTION_PYTHON_PRELOAD"):
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
