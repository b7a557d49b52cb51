"""Turns the output of `cargo metadata` into a CycloneDX list of components and a list of licences for people.

    cargo metadata --format-version 1 | python3 scripts/sbom.py FOLDER

Only what the binary contains: dependencies of the package `sanderling`, without those of tests and builds.
The same input gives the same files.
"""

import json
import pathlib
import re
import sys

NAMES = re.compile(r"^(LICEN[CS]E|COPYING|NOTICE|UNLICENSE)", re.IGNORECASE)


def hashes():
    """The checksums in Cargo.lock, by name and version."""
    found, name, version = {}, None, None
    for line in pathlib.Path("Cargo.lock").read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(" = ")
        value = value.strip('"')
        if key == "name":
            name = value
        elif key == "version":
            version = value
        elif key == "checksum":
            found[name, version] = value
    return found


def in_binary(metadata):
    """The packages that the binary contains, by id."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    roots = [p["id"] for p in metadata["packages"] if p["name"] == "sanderling"]
    seen, waiting = {}, list(roots)
    while waiting:
        package = waiting.pop()
        if package in seen:
            continue
        needed = []
        for dependency in nodes[package]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                needed.append(dependency["pkg"])
        seen[package] = sorted(needed)
        waiting.extend(needed)
    return seen


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, checksums):
    entry = {
        "type": "library",
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    }
    if package.get("license"):
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    checksum = checksums.get((package["name"], package["version"]))
    if checksum:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if package.get("repository"):
        entry["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return entry


def main():
    folder = pathlib.Path(sys.argv[1])
    metadata = json.load(sys.stdin)
    packages = {package["id"]: package for package in metadata["packages"]}
    needed = in_binary(metadata)
    ours = {package for package in needed if packages[package]["source"] is None}
    by_name = sorted(needed, key=lambda one: (packages[one]["name"], packages[one]["version"]))
    root = next(packages[one] for one in by_name if packages[one]["name"] == "sanderling")
    checksums = hashes()
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**component(root, checksums), "type": "application"}},
        "components": [component(packages[one], checksums) for one in by_name if one not in ours],
        "dependencies": [
            {
                "ref": reference(packages[one]),
                "dependsOn": sorted({reference(packages[other]) for other in needed[one]}),
            }
            for one in by_name
        ],
    }
    (folder / "sanderling.cdx.json").write_text(json.dumps(bom, indent=1) + "\n", encoding="utf-8")

    lines = ["# Third-party notices", "", "What the binary contains beside Sanderling, and under which licences.", ""]
    texts, missing = {}, []
    for one in by_name:
        package = packages[one]
        if one in ours:
            continue
        lines.append(f"- {package['name']} {package['version']}: {package['license'] or 'see below'}")
        source = pathlib.Path(package["manifest_path"]).parent
        files = sorted(file for file in source.iterdir() if file.is_file() and NAMES.match(file.name))
        if not files:
            missing.append(f"{package['name']} {package['version']}")
        for file in files:
            text = file.read_text(encoding="utf-8", errors="replace").strip()
            texts.setdefault(text, []).append(f"{package['name']} {package['version']} ({file.name})")
    lines += ["", "## Texts", ""]
    for text, users in sorted(texts.items(), key=lambda item: item[1]):
        lines += [f"### {', '.join(users)}", "", "```text", text.replace("```", "'''"), "```", ""]
    lines += ["## Without a licence file in the package", "", ", ".join(missing) or "none", ""]
    (folder / "THIRD-PARTY.md").write_text("\n".join(lines), encoding="utf-8")
    count = len(bom["components"])
    print(f"{count} components, {len(texts)} texts of licences, {len(missing)} packages without a file of their own")


main()
