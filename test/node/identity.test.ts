import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownParts, packagesInUse } from "../../src/node/identity.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const src = join(root, "src");

/** All that is imported from a file on, for values: our own files, and packages. */
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
    "node/host.ts",
    "node/cache.ts",
    "node/asc-worker.ts",
  );

  it("takes in every file that a compilation runs", () => {
    expect(files.size).toBeGreaterThan(100);
    expect([...files].filter((file) => !ownParts.includes(file.split("/")[0] as string))).toEqual([]);
  });

  it("takes in every package that a compilation runs", () => {
    const known = packagesInUse.map(([name]) => name);
    const installed = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).dependencies);
    const used = installed.filter((name) => packages.has(name));
    expect(used.length).toBeGreaterThan(4);
    expect(used.filter((name) => !known.includes(name))).toEqual([]);
  });

  describe("of an installed graphloom", () => {
    let place: string;
    beforeAll(() => {
      place = mkdtempSync(join(tmpdir(), "graphloom-identity-"));
      install("one");
      install("two");
    });
    afterAll(() => rmSync(place, { recursive: true, force: true }));

    function install(name: string): void {
      const folder = join(place, name);
      for (const part of ["dist", "templates", "schemas", "package.json"])
        cpSync(join(root, part), join(folder, part), { recursive: true });
      mkdirSync(join(folder, "node_modules/@graphprotocol"), { recursive: true });
      for (const dependency of readdirSync(join(root, "node_modules"))) {
        if (dependency.startsWith(".") || dependency === "@graphprotocol" || dependency === "ajv") continue;
        symlinkSync(join(root, "node_modules", dependency), join(folder, "node_modules", dependency));
      }
      for (const dependency of ["ajv", "@graphprotocol/graph-ts"])
        cpSync(join(root, "node_modules", dependency), join(folder, "node_modules", dependency), {
          recursive: true,
        });
    }

    function identityOf(name: string): string {
      const module = pathToFileURL(join(place, name, "dist/node/identity.js")).href;
      const script = `import { codeIdentity } from ${JSON.stringify(module)}; process.stdout.write(codeIdentity());`;
      return execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    }

    it("is the same wherever it is installed", () => {
      expect(identityOf("one")).toMatch(/^[0-9a-f]{64}$/);
      expect(identityOf("two")).toBe(identityOf("one"));
    });

    it.each([
      "dist/compiler/emit/manifest.js",
      "dist/compiler/verdict/traps/find-traps.js",
      "dist/node/asc-worker.js",
      "dist/compiler/pipeline.js",
      "dist/node/host.js",
      "dist/compiler/cache/packed-compilation.js",
      "templates/mapping.hbs",
      "schemas/config-v1.schema.json",
      "node_modules/ajv/package.json",
      "node_modules/@graphprotocol/graph-ts/package.json",
      "node_modules/@graphprotocol/graph-ts/common/numbers.ts",
    ])("is another one after a change of %s", (path) => {
      const before = identityOf("two");
      const file = join(place, "two", path);
      const text = readFileSync(file, "utf8");
      writeFileSync(file, `${text}\n`);
      const changed = identityOf("two");
      writeFileSync(file, text);
      expect(changed).not.toBe(before);
      expect(identityOf("two")).toBe(before);
    });

    it.each([
      "dist/cli/program.js",
      "dist/deploy/deploy-all.js",
    ])("is the same after a change of %s", (path) => {
      const file = join(place, "two", path);
      writeFileSync(file, `${readFileSync(file, "utf8")}\n`);
      expect(identityOf("two")).toBe(identityOf("one"));
    });
  });
});
