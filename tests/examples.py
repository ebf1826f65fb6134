"""How many examples random tests try: `--hypothesis-profile=quick`, without it the usual number, or
`thorough`.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

USUAL = 20
QUICK = 5
THOROUGH = 200
IN_A_CAMPAIGN = 8
"""As many where the campaign `engine`, a share of which is among the tests, holds the same to the
definition.
"""
IN_EACH_OF_MANY = 8
"""As many where a test is repeated for each of seven settings or more, which are a hundred examples
together.
"""


def register_profiles() -> None:
    """Makes the profiles known to hypothesis; the usual one holds unless pytest is told another."""
    for name, n_examples in {"usual": USUAL, "quick": QUICK, "thorough": THOROUGH}.items():
        # How long an example takes says what else the computer does.
        calm = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
        settings.register_profile(
            name, max_examples=n_examples, deadline=None, suppress_health_check=calm
        )
    settings.load_profile("usual")


def examples(n_usually: int) -> int:
    """How many examples a test tries that wants another number than usual: as many more, or fewer,
    as the profile.
    """
    return max(1, n_usually * settings().max_examples // USUAL)
