"""What every engine test shares: modest hypothesis settings; `--hypothesis-profile=thorough` looks longer."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

_CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("engine", max_examples=30, deadline=None, suppress_health_check=_CALM)
settings.register_profile("thorough", max_examples=300, deadline=None, suppress_health_check=_CALM)
settings.load_profile("engine")
