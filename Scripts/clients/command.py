"""What scripts that run the command share: its build, and free ports."""

import socket
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def built(*setup):
    """The command, built as Scripts/demo builds it. With arguments Scripts/setup is run with them before."""
    script = (
        'root=$1; shift; [[ $# == 0 ]] || "$root/Scripts/setup" "$@" >&2; source "$root/Scripts/build-flags"; '
        'build=(swift build --package-path "$root" "${release_flags[@]}"); '
        '"${build[@]}" --product modelcast >&2 && "${build[@]}" --show-bin-path'
    )
    shown = subprocess.run(
        ["bash", "-ec", script, "built", ROOT, *setup], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
        text=True)
    return Path(shown.stdout.strip()) / "modelcast"


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]
