#!/usr/bin/env python3
"""What declarations add to the compile time of a host, against builder statements for the same grants.

CPU seconds (user and system) of the compiler for a host crate that holds one declaration, its
dependencies built before; the same crate without a declaration is subtracted, minimum from minimum and
median from median. The minimum of several runs is what the work costs; the median says how noisy the
machine was. Every round compiles each source once, so that a noisy minute is shared by all.

    benches/compile-time.py [--quick] [--cold]

`--cold` measures a cold `cargo check` of all dependencies instead.
"""

import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUICK = "--quick" in sys.argv
RUNS = 3 if QUICK else 5
# Entries from here on are compiled once: they take long, and noise is small beside them.
LARGE = 10_000
SIZES = [10, 100, 1_000] if QUICK else [10, 100, 1_000, 10_000]

MANIFEST = """[package]
name = "host"
version = "0.0.0"
edition = "2024"

[dependencies]
authority = {{ path = "{root}" }}

[workspace]
"""
BASELINE = """[package]
name = "baseline"
version = "0.0.0"
edition = "2024"

[dependencies]
syn = { version = "3", default-features = false, features = ["parsing", "printing", "proc-macro"] }
serde = { version = "1", features = ["derive"] }
thiserror = "2"
sha2 = "0.11"

[workspace]
"""


def run(command, directory):
    """CPU seconds of a command and all that it starts."""
    # Each host is built in a directory of its own, whatever the caller's builds use.
    environment = {key: value for key, value in os.environ.items() if key != "CARGO_TARGET_DIR"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, cwd=directory, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def path(number):
    return f"crates/some/dir/src/file_{number:05}.rs"


def declaration(count):
    entries = "\n".join(f'        filesystem "ws" / "{path(n)}" => read, write;' for n in range(count))
    return f"authority::authority! {{\n    /// Many files.\n    pub mod host {{\n{entries}\n    }}\n}}\n"


def statements(count):
    lines = "\n".join(
        f'    builder = builder.filesystem_path("ws", "{path(n)}", [filesystem::Read, filesystem::Write]);' for n in range(count)
    )
    return (
        "use authority::{ThreadPermissions, operations::filesystem};\n"
        "/// Many files.\npub fn host() -> ThreadPermissions {\n"
        f"    let mut builder = ThreadPermissions::builder();\n{lines}\n    builder.build().unwrap()\n}}\n"
    )


def measure(directory, sources, command):
    """The minimum and the median of compiling the host with each source, in milliseconds."""
    times = {name: [] for name in sources}
    for number in range(RUNS):
        for (count, form), source in sources.items():
            if number > 0 and count >= LARGE:
                continue
            (directory / "src/lib.rs").write_text(f"{source}\n// run {number}\n")
            times[count, form].append(1000 * run(command, directory))
    return {name: (min(runs), statistics.median(runs)) for name, runs in times.items()}


def main():
    with tempfile.TemporaryDirectory() as temporary:
        if "--cold" in sys.argv:
            return cold(pathlib.Path(temporary))
        directory = pathlib.Path(temporary) / "host"
        (directory / "src").mkdir(parents=True)
        (directory / "Cargo.toml").write_text(MANIFEST.format(root=ROOT))
        shutil.copy(ROOT / "Cargo.lock", directory / "Cargo.lock")
        commands = {
            "check": ["cargo", "check", "--offline"],
            "release build": ["cargo", "build", "--release", "--offline"],
        }
        (directory / "src/lib.rs").write_text("")
        for command in commands.values():
            run(command, directory)
        print("| compiler | entries | `authority!` min / median, ms | builder min / median, ms | ratio of minima |")
        print("| --- | --: | --: | --: | --: |")
        sources = {(0, "empty"): ""}
        for count in SIZES:
            sources |= {(count, "macro"): declaration(count), (count, "builder"): statements(count)}
        for name, command in commands.items():
            times = measure(directory, sources, command)
            empty = times[0, "empty"]
            for count in SIZES:
                macro, builder = (
                    [time - less for time, less in zip(times[count, form], empty)] for form in ("macro", "builder")
                )
                ratio = macro[0] / builder[0] if builder[0] > 0 else float("nan")
                print(
                    f"| {name} | {count:,} | {macro[0]:.0f} / {macro[1]:.0f} | {builder[0]:.0f} / {builder[1]:.0f} | {ratio:.2f} |",
                    flush=True,
                )


def cold(temporary):
    """Everything that the facade pulls in, above what most hosts have already."""
    times = {}
    for name, manifest in {"baseline": BASELINE, "host": MANIFEST.format(root=ROOT)}.items():
        directory = temporary / f"cold-{name}"
        (directory / "src").mkdir(parents=True)
        (directory / "Cargo.toml").write_text(manifest)
        (directory / "src/lib.rs").write_text("")
        run(["cargo", "generate-lockfile", "--offline"], directory)
        runs = []
        for _ in range(2 if QUICK else 3):
            shutil.rmtree(directory / "target", ignore_errors=True)
            runs.append(run(["cargo", "check", "--offline"], directory))
        times[name] = min(runs)
    print()
    print(f"Cold `cargo check`, CPU seconds: {times['baseline']:.1f} for syn, serde with derive, thiserror and sha2 alone;")
    print(f"{times['host']:.1f} for everything that the facade pulls in: {times['host'] - times['baseline']:.1f} more.")


if __name__ == "__main__":
    main()
