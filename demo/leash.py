"""Run a command that does not outlive the process that started it, even if that process is killed.

Usage: `python leash.py PARENT_PID SIGNAL UID GID COMMAND [ARGUMENT]...`

Linux sends SIGNAL to the command when the thread that started it ends. Elsewhere the command just runs.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def become(uid: int, gid: int) -> None:
    """Become that user, if this is another one. Before `tie`: changing the user unties."""
    if uid == os.getuid():
        return
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


def tie(parent: int, signal: int) -> None:
    """Let the kernel send `signal` when the parent ends; end at once if it has ended already."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal)
    if os.getppid() != parent:
        sys.exit("the parent is gone")


def main() -> None:
    """Tie, then become the command."""
    parent, signal, uid, gid = map(int, sys.argv[1:5])
    command = sys.argv[5:]
    become(uid, gid)
    tie(parent, signal)
    os.execvp(command[0], command)  # noqa: S606 - replacing this process by the command is what this file is for


if __name__ == "__main__":
    main()
