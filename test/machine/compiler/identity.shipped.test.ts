import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { useFolder } from "../../support/folder.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("the identity of an installed graphloom", () => {
  const place = useFolder();
  let identity: string;
  beforeAll(() => {
    install("one");
    install("two");
    identity = identityOf("one");
  });

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
    const module = pathToFileURL(join(place, name, "dist/machine/compiler/identity.js")).href;
    const script = `import { codeIdentity } from ${JSON.stringify(module)}; process.stdout.write(codeIdentity());`;
    return execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  }

  it("is the same wherever it is installed", () => {
    expect(identity).toMatch(/^[0-9a-f]{64}$/);
    expect(identityOf("two")).toBe(identity);
  });

  it.each([
    "dist/compiler/emit/manifest.js",
    "dist/compiler/verdict/traps/find-traps.js",
    "dist/machine/compiler/asc-worker.js",
    "dist/compiler/pipeline.js",
    "dist/machine/files/host.js",
    "dist/compiler/cache/packed-compilation.js",
    "templates/mapping.hbs",
    "schemas/config-v1.schema.json",
    "node_modules/ajv/package.json",
    "node_modules/assemblyscript/package.json",
    "dist/packages/@graphprotocol/graph-ts/common/numbers.ts",
    "dist/packages/ethers/abi.js",
    "dist/packages/handlebars.cjs",
  ])("changes with %s", (path) => {
    const file = join(place, "two", path);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `${text}\n`);
    const changed = identityOf("two");
    writeFileSync(file, text);
    expect(changed).not.toBe(identity);
  });

  it("is the same again when all changes are undone", () => {
    expect(identityOf("two")).toBe(identity);
  });

  it.each(["dist/cli/program.js", "dist/deploy/deploy-all.js"])("stays the same after %s", (path) => {
    const file = join(place, "two", path);
    writeFileSync(file, `${readFileSync(file, "utf8")}\n`);
    expect(identityOf("two")).toBe(identity);
  });
});
