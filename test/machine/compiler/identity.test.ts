import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ownParts, packagesInUse } from "../../../src/machine/compiler/identity.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const src = join(root, "src");

/** Everything that these files import as values, directly or not: our own files, and packages. */
function reachable(...starts: readonly string[]): {
  readonly files: Set<string>;
  readonly packages: Set<string>;
} {
  const files = new Set(starts);
  const packages = new Set<string>();
  const pattern =
    /(?:^|\n)(?:import|export)\s+(?!type\b)[^;]*?from\s*"([^"]+)"|\bimport\("([^"]+)"\)|\(\s*"([@a-z][^"]*)",?\s*\)/g;
  for (const file of files) {
    for (const [, from, dynamic, required] of readFileSync(join(src, file), "utf8").matchAll(pattern)) {
      const specifier = from ?? dynamic ?? required ?? "";
      if (specifier.startsWith(".")) {
        const path = relative(src, resolve(join(src, dirname(file)), specifier)).replace(/\.js$/, ".ts");
        if (path.endsWith(".ts")) files.add(path);
      } else if (!specifier.startsWith("node:"))
        packages.add(
          specifier
            .split("/")
            .slice(0, specifier.startsWith("@") ? 2 : 1)
            .join("/"),
        );
    }
  }
  return { files, packages };
}

describe("the identity of the code", () => {
  const { files, packages } = reachable(
    "compiler/pipeline.ts",
    "machine/files/host.ts",
    "machine/compiler/cache.ts",
    "machine/compiler/asc-worker.ts",
  );

  it("covers every file that a compilation runs", () => {
    expect(files.size).toBeGreaterThan(100);
    expect([...files].filter((file) => !ownParts.includes(file.split("/")[0] as string))).toEqual([]);
  });

  it("covers every package that a compilation runs", () => {
    const known = packagesInUse.map(([name]) => name);
    const installed = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).dependencies);
    const used = installed.filter((name) => packages.has(name));
    expect(used.length).toBeGreaterThan(4);
    expect(used.filter((name) => !known.includes(name))).toEqual([]);
  });
});
