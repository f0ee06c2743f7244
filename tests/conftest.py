"""Settings of the whole suite."""

from __future__ import annotations

import os

from hypothesis import settings

# The same examples every time, so that a green run stays green; HYPOTHESIS_PROFILE=default looks
# for new ones.
settings.register_profile("steady", derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
