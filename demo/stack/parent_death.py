"""Run a command that ends together with its parent process, even if the parent is killed.

Usage: `python parent_death.py PARENT_PID SIGNAL UID GID COMMAND [ARGUMENT]...`

Linux sends SIGNAL to the command when the thread that started it ends. On other systems this has no effect.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def switch_user(uid: int, gid: int) -> None:
    """Switch to the user, if necessary. Call this before `end_with_parent`, because it resets the signal."""
    if uid == os.getuid():
        return
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


def end_with_parent(parent: int, signal: int) -> None:
    """Make the kernel send `signal` when the parent ends. Exit immediately if it has already ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal)
    if os.getppid() != parent:
        sys.exit("the parent process has ended")


def main() -> None:
    """Replace this process with the command."""
    parent, signal, uid, gid = map(int, sys.argv[1:5])
    command = sys.argv[5:]
    switch_user(uid, gid)
    end_with_parent(parent, signal)
    os.execvp(command[0], command)  # noqa: S606 - no shell is needed


if __name__ == "__main__":
    main()
