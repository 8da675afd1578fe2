"""Are there known faults in the installed packages? `python -m tests.audit PIP-AUDIT`, as .ci/run calls it.

pip-audit asks the package index for advisories. Exits with 1 if it names a fault. Where the index cannot be asked, this
only warns: a machine without a network must be able to run all tests.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from typing import Any

PATIENCE_S = 300


def audited(pip_audit: str) -> list[dict[str, Any]]:
    """What pip-audit says of each package; [] if it says nothing."""
    call = [pip_audit, "--path", sysconfig.get_path("purelib"), "--format", "json", "--progress-spinner", "off"]
    try:
        done = subprocess.run(call, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (OSError, ValueError, LookupError, subprocess.TimeoutExpired):
        return []
    return packages


def report(packages: list[dict[str, Any]]) -> tuple[str, bool]:
    """What to print, and whether a package has a known fault.

    >>> report([{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "not found"}])
    ('No known fault in 1 package. Of 1 package nothing is known: b.', False)
    >>> fault = {"id": "PYSEC-1", "fix_versions": ["2", "3"]}
    >>> report([{"name": "a", "version": "1", "vulns": [fault]}])
    ('a 1 has PYSEC-1, fixed in: 2 or 3.', True)
    >>> report([])[0]
    'WARNING: no package was audited, because no service for advisories can be asked from here.'
    """
    known = [one for one in packages if "skip_reason" not in one]
    if not known:
        return "WARNING: no package was audited, because no service for advisories can be asked from here.", False
    faults = [
        f"{one['name']} {one['version']} has {fault['id']}, fixed in: {' or '.join(fault['fix_versions']) or 'none'}."
        for one in known
        for fault in one["vulns"]
    ]
    if faults:
        return "\n".join(faults), True
    unknown = [one["name"] for one in packages if "skip_reason" in one]
    more = f" Of {_count(unknown)} nothing is known: {', '.join(unknown)}." if unknown else ""
    return f"No known fault in {_count(known)}.{more}", False


def _count(packages: list[Any]) -> str:
    return f"{len(packages):,} package{'' if len(packages) == 1 else 's'}"


if __name__ == "__main__":
    words, bad = report(audited(sys.argv[1]))
    print(words)
    sys.exit(bad)
