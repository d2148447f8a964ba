import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { renderText } from "../../src/compiler/diagnostics/render-text.js";
import { build } from "../../src/machine/compiler/compile.js";
import { createNodeHost } from "../../src/machine/files/host.js";
import { asc } from "../support/compiler/asc.js";

/*
 * Every folder beside this file is a case: `config.json` and `abis/` are the input, `expected/` is the output, without
 * the folders that other tests compare (generated/ and build/). UPDATE_GOLDEN=1 accepts the current output.
 */

const here = dirname(fileURLToPath(import.meta.url));
const cases = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const update = process.env.UPDATE_GOLDEN === "1";

describe.each(cases.map(({ name }) => name))("golden case %s", (name) => {
  const folder = join(here, name);
  const expected = join(folder, "expected");

  it("compiles to the expected files", async () => {
    const built = await build("config.json", createNodeHost({ cwd: folder }), { asc });
    const said = renderText(built.diagnostics);
    expect(built.ok, said).toBe(true);
    expect([...built.files.keys()]).toContainEqual(expect.stringMatching(/^build\/.*\.wasm$/));
    const got = new Map<string, string>([["diagnostics.txt", said]]);
    for (const [path, content] of built.files) {
      if (!/^(generated|build)\//.test(path)) got.set(path, String(content));
    }
    if (update) accept(expected, got);
    const want = readTree(expected);
    const missing = [...want.keys()].filter((path) => !got.has(path));
    const extra = [...got.keys()].filter((path) => !want.has(path));
    expect({ missing, extra }).toEqual({ missing: [], extra: [] });
    for (const [path, text] of want) expect(got.get(path), path).toBe(text);
  });
});

it("the folder lists the three permanent cases, each with its input", () => {
  expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining(["empty", "hostile", "kitchen-sink"]));
  for (const { name } of cases) expect(existsSync(join(here, name, "config.json")), name).toBe(true);
});

function readTree(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return new Map(
    paths.map((path) => [relative(folder, path).split(sep).join("/"), readFileSync(path, "utf8")]),
  );
}

function accept(folder: string, files: ReadonlyMap<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
