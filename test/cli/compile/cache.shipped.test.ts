import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { storing } from "../harness.js";
import { command, filesBelow, home } from "../process.js";

const examples = fileURLToPath(new URL("../../../examples", import.meta.url));

describe("a process with a cache", () => {
  it("loads neither compiler nor parsers when the cache holds everything", async () => {
    const cwd = home();
    cpSync(join(examples, "uniswap-v3"), cwd, { recursive: true });
    const env = { NODE_DEBUG: "esm,module", HOME: cwd };
    const line = [
      "subgraph",
      "init",
      "--from-config",
      "subgraph.json",
      "--build",
      "--target-path",
      "out",
      "--force",
    ];
    // Every package, wherever it is shipped, and our own modules that do the work.
    const heavy =
      /\/(?:node_modules|packages)\/|dist\/(compiler\/pipeline|machine\/compiler\/asc-worker)\.js/;
    const loaded = async () => {
      const { code, err } = await command(line, { cwd, env });
      const paths = err.match(/\/(?:dist|node_modules)\/[^\s"')]+\.[cm]?js/g) ?? [];
      return { code, paths: paths.length, heavy: [...new Set(paths.filter((path) => heavy.test(path)))] };
    };
    const first = await loaded();
    expect(first.code).toBe(0);
    expect(first.heavy).toEqual(
      expect.arrayContaining([
        "/dist/compiler/pipeline.js",
        "/dist/packages/ethers/crypto.js",
        "/node_modules/ts-morph/dist/ts-morph.js",
      ]),
    );
    const second = await loaded();
    expect([second.code, second.paths > 20, second.heavy]).toEqual([0, true, []]);
  });

  it("produces the same result while another process does the same work", async () => {
    const HOME = home();
    const make = async (name: string) => {
      const cwd = join(HOME, name);
      mkdirSync(cwd);
      writeFileSync(join(cwd, "c.json"), storing("event.params.value.toString()"));
      const ended = await command(["compile", "c.json", "--out", "o", "--build"], { cwd, env: { HOME } });
      return { ended, files: filesBelow(join(cwd, "o")) };
    };
    const [one, two] = await Promise.all([make("one"), make("two")]);
    expect(one.ended).toMatchObject({ code: 0, err: "" });
    expect(two).toEqual(one);
    expect(await make("three")).toEqual(one);
    const names = readdirSync(join(HOME, ".cache/graphloom"));
    expect(names.filter((name) => name.startsWith("draft-"))).toEqual([]);
  });
});
