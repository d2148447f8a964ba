import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly private?: boolean;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly engines: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
};
const { dependencies, exports } = manifest;

/** The report of `npm pack` about a package. */
interface Packed {
  readonly filename: string;
  /** Bytes, packed and unpacked. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

describe("the packed package", () => {
  let place: string;
  let packed: Packed;

  /** Unpacks the published files as a project's package, beside the package's dependencies and nothing else. */
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), "graphloom-packed-"));
    const packages = join(place, "node_modules");
    const home = join(packages, "graphloom");
    mkdirSync(home, { recursive: true });
    const told = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", place], {
      cwd: root,
      encoding: "utf8",
    });
    [packed] = JSON.parse(told) as [Packed];
    execFileSync("tar", ["-xzf", join(place, packed.filename), "-C", home, "--strip-components=1"]);
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(packages, name)), { recursive: true });
      symlinkSync(join(root, "node_modules", name), join(packages, name));
    }
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  /** The names that a module of the package exports. */
  function namesOf(specifier: string): readonly string[] {
    const script = `import * as all from ${JSON.stringify(specifier)}; console.log(JSON.stringify(Object.keys(all)));`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: place,
      encoding: "utf8",
    });
    return JSON.parse(printed) as readonly string[];
  }

  it("can be published, and runs nothing when it is installed", () => {
    expect(manifest.private).toBeUndefined();
    expect(manifest.engines.node).toMatch(/^>=20/);
    const running = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "postprepare"];
    expect(Object.keys(manifest.scripts).filter((name) => running.includes(name))).toEqual([]);
  });

  it("holds only files that are used, and no large ones", () => {
    const tops = packed.files.map(({ path }) => /^(?:examples\/)?[^/]+/.exec(path)?.[0]);
    expect([...new Set(tops)].sort()).toEqual([
      "README.md",
      "action.yml",
      "dist",
      "docs",
      "examples/ci",
      "examples/demo",
      "examples/market",
      "examples/server",
      "package.json",
      "schemas",
      "skills",
      "templates",
    ]);
    // Code for one version of Node, and maps to missing sources.
    const stray = /\.(?:map|code|tsbuildinfo|tgz)$|^test\/|(?:^|\/)(?:node_modules|\.[^/]+)(?:\/|$)/;
    expect(packed.files.filter(({ path }) => stray.test(path))).toEqual([]);
    // The query page is the only large file. It comes without its original server and packages.
    const large = packed.files.filter(({ size }) => size > 1_000_000);
    expect(large.map(({ path }) => path)).toEqual(["dist/platform/endpoints/graphiql.js"]);
    const page = large.reduce((bytes, { size }) => bytes + size, 0);
    expect(page).toBeLessThan(9_500_000);
    // Of this, 1.3 MB is the process of pipelines, whose modules and packages are together so that it starts fast.
    expect(packed.unpackedSize - page).toBeLessThan(15_000_000);
    expect(packed.size).toBeLessThan(7_000_000);
  });

  it("has a command that the shell can start", () => {
    const main = join(root, "dist/cli/main.js");
    expect(execFileSync(main, ["--version"], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("names the licence of everything third-party that it ships", () => {
    const notices = packed.files.filter(({ path }) => path.endsWith(".licences.txt")).map(({ path }) => path);
    expect(notices.sort()).toEqual([
      "dist/platform/endpoints/graphiql.licences.txt",
      "dist/platform/http/fastify.licences.txt",
    ]);
  });

  it("has a module for each part, and together they export everything", () => {
    const parts = Object.keys(exports).filter((name) => /^\.\/\w+$/.test(name));
    expect(parts).toEqual(["./compiler", "./deploy", "./runtime"]);
    const names = parts.map((part) => namesOf(`graphloom/${part.slice(2)}`));
    expect(names.map((own) => own.length > 5)).toEqual([true, true, true]);
    expect(names.flat().sort()).toEqual([...namesOf("graphloom")].sort());
  });

  it("has the migration scripts of its tables", () => {
    const folder = join(place, "node_modules/graphloom/dist/store/database/migrations");
    expect(readdirSync(folder)).toEqual(readdirSync(join(root, "src/store/database/migrations")));
  });

  it("has its schema and the command line", () => {
    const script = 'console.log(require("graphloom/schemas/config-v1.schema.json").title)';
    const title = execFileSync(process.execPath, ["-e", script], { cwd: place, encoding: "utf8" });
    expect(title).toMatch(/graphloom/i);
    const main = join(place, "node_modules/graphloom/dist/cli/main.js");
    expect(execFileSync(process.execPath, [main, "--version"], { encoding: "utf8" })).toMatch(
      /^\d+\.\d+\.\d+\n$/,
    );
  });
});
