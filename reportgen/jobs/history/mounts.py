"""Whether a file lies on a file system of a network."""

from __future__ import annotations

import re
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
# Processes on several machines, or on both sides of a virtual one, do not share memory there.
NETWORKS = frozenset(
    {
        *("9p", "afs", "beegfs", "ceph", "cifs", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs"),
        *("nfs", "nfs4", "ocfs2", "orangefs", "smb2", "smb3", "smbfs", "virtiofs", "vboxsf"),
    }
)


def is_on_network(path: Path, mounts: Path = MOUNTS) -> bool:
    """Find out from the mounts of this machine; where nothing is known of them, it is local."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    target = path.absolute().parent.resolve() / path.name
    best, kind = -1, ""
    for line in lines:
        point, found = _mount(line)
        # Of two mounts on one place the later one hides the other.
        if len(point.parts) >= best and target.is_relative_to(point):
            best, kind = len(point.parts), found
    return kind in NETWORKS or kind.startswith("fuse.")


def _mount(line: str) -> tuple[Path, str]:
    """Return where a file system is mounted and its type, as proc_pid_mountinfo(5) has it."""
    before, _, after = line.partition(" - ")
    point = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), before.split(" ")[4])
    return Path(point), after.split(" ")[0]
