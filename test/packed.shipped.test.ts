import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "./support/docs/pages.js";
import { installPacked, type Packed } from "./support/packed-package.js";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly private?: boolean;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly engines: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
};
const { dependencies, exports } = manifest;

describe("the packed package", () => {
  let place: string;
  let packed: Packed;

  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), "graphloom-packed-"));
    packed = installPacked(place);
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
    expect(large.map(({ path }) => path)).toEqual(["dist/platform/endpoints/graphiql.json.gz"]);
    // Of this, 1.3 MB is the process of pipelines, whose modules and packages are together so that it starts fast, and
    // 1.8 MB are parts of packages that users do not install.
    expect(packed.unpackedSize).toBeLessThan(19_000_000);
    expect(packed.size).toBeLessThan(7_500_000);
  });

  it("takes at most 120 MB with its dependencies", () => {
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
      readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly peer?: boolean }>>;
    };
    const installed = Object.entries(lock.packages).filter(
      ([path, { dev, peer }]) => path !== "" && !dev && !peer && existsSync(join(root, path)),
    );
    expect(installed.length).toBeGreaterThan(50);
    const bytes = installed.map(([path]) => sizeOf(join(root, path))).reduce((sum, size) => sum + size, 0);
    expect(bytes + packed.unpackedSize).toBeLessThan(120_000_000);
  });

  it("has the same bill of materials each time, with installed and shipped packages", () => {
    const [first, second] = ["first", "second"].map((name) => {
      const file = join(place, `${name}.json`);
      execFileSync(process.execPath, [join(root, "scripts/make-sbom.mjs"), file]);
      return readFileSync(file, "utf8");
    });
    expect(second).toBe(first);
    const { bomFormat, components, metadata } = JSON.parse(first as string) as {
      readonly bomFormat: string;
      readonly metadata: { readonly component: { readonly name: string } };
      readonly components: readonly { readonly name: string; readonly purl: string }[];
    };
    expect(bomFormat).toBe("CycloneDX");
    // The folder of the sources has another name, perhaps.
    expect(metadata.component.name).toBe("graphloom");
    const names = components.map(({ name }) => name);
    const shipped = ["ethers", "fastify", "@graphprotocol/graph-ts", "@graphql-yoga/render-graphiql", "zod"];
    expect(names).toEqual(expect.arrayContaining([...Object.keys(dependencies), ...shipped]));
    const bundled = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".licences.txt"))
      .flatMap((file) => [
        ...readFileSync(join(root, "dist", file), "utf8").matchAll(/^(@?[\w./-]+) (\d+\.\d+\.\S+) \(/gm),
      ]);
    expect(bundled.length).toBeGreaterThan(40);
    const purls = components.map(({ purl }) => purl);
    const absent = bundled.filter(
      ([, name = "", version]) => !purls.includes(`pkg:npm/${name.replace("@", "%40")}@${version}`),
    );
    expect(absent.map(([title]) => title)).toEqual([]);
    expect(names).not.toContain("vitest");
    expect(first).not.toContain(root);
  });

  it("has a command that the shell can start", () => {
    const main = join(root, "dist/cli/main.js");
    expect(execFileSync(main, ["--version"], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("names the licence of everything third-party that it ships", () => {
    const notices = packed.files.filter(({ path }) => path.endsWith(".licences.txt")).map(({ path }) => path);
    expect(notices.sort()).toEqual([
      "dist/packages/packages.licences.txt",
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

/** The bytes of all files in the folder of a package, without packages inside it. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? sizeOf(path) : statSync(path).size;
    })
    .reduce((sum, size) => sum + size, 0);
}
