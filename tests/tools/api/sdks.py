"""The clouds' SDKs, and the clouds whose graphs each builds."""

from tests.clouds import CloudTests, clouds

SDKS: dict[str, list[CloudTests]] = {}
for each in clouds():
    SDKS.setdefault(each.sdk_package, []).append(each)
