import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { build, type Compilation, createNodeHost } from "../src/exports/index.js";
import { expectReadable } from "./subgraph/runnable/expect-readable.js";
import { asc } from "./support/compiler/asc.js";
import { exampleNames } from "./support/compiler/examples.js";
import { testFolder } from "./support/folder.js";
import { judge, judgedBuild, recipeOf, wasmInterface } from "./support/judge/judge.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const light = new URL("support/judge/graph-cli-light.mjs", import.meta.url).href;

function bytes(files: Compilation["files"], prefix: string): Map<string, Buffer> {
  const own = [...files].filter(([path]) => path.startsWith(prefix));
  return new Map(own.map(([path, content]) => [path.slice(prefix.length), Buffer.from(content)]));
}

function wasmInterfaces(files: Compilation["files"]): object {
  const wasm = [...files].filter(([path]) => path.endsWith(".wasm"));
  expect(wasm.length).toBeGreaterThan(0);
  return Object.fromEntries(wasm.map(([path, content]) => [path, wasmInterface(content as Uint8Array)]));
}

function wasmSize(files: Compilation["files"]): number {
  const wasm = [...files].filter(([path]) => path.endsWith(".wasm"));
  return wasm.reduce((size, [, content]) => size + content.length, 0);
}

describe.each(exampleNames)("example %s", (name) => {
  const config = join(root, "examples", name, "subgraph.json");

  it("compiles, reads back unchanged, and builds the same with graph-cli", async () => {
    const built = await build(config, createNodeHost({ cwd: root }), { asc, optimize: judgedBuild });
    expect(built.diagnostics.filter(({ severity }) => severity !== "note")).toEqual([]);
    const verdict = await judge(testFolder(built.files), { build: judgedBuild });
    expect(verdict.ok, verdict.output).toBe(true);
    for (const [manifest, theirs] of verdict.manifests) {
      const chain = /^subgraph\.(.+)\.yaml$/.exec(manifest)?.[1];
      const ours = bytes(built.files, chain ? `build/${chain}/` : "build/");
      expect(ours.size).toBeGreaterThan(3);
      expect(bytes(theirs.build, "build/")).toEqual(ours);
      for (const [path, text] of theirs.generated) expect(built.files.get(path), path).toBe(text);
    }
    expectReadable(built.files);
    if (judgedBuild === "fast") return;
    const fast = await build(config, createNodeHost({ cwd: root }), { asc });
    expect(wasmInterfaces(fast.files)).toEqual(wasmInterfaces(built.files));
    expect(wasmSize(fast.files) / wasmSize(built.files)).toBeLessThan(1.15);
  });

  it("has a short description and a query", () => {
    const readme = readFileSync(join(root, "examples", name, "README.md"), "utf8");
    expect(readme.split("```")[0]?.trim().split("\n").length).toBeLessThanOrEqual(8);
  });
});

it("a subgraph builds on chains that have different contracts", async () => {
  const event = { type: "event", anonymous: false };
  const who = { name: "who", type: "address", indexed: true };
  const made = { name: "made", type: "address", indexed: false };
  const config = {
    version: "1",
    name: "mixed",
    abis: {
      Alpha: [{ ...event, name: "Pinged", inputs: [who] }],
      Factory: [{ ...event, name: "Made", inputs: [made] }],
      Child: [{ ...event, name: "Moved", inputs: [who] }],
    },
    instances: [
      { abi: "Alpha", address: `0x${"1".repeat(40)}`, startBlock: 1, chain: "mainnet" },
      { abi: "Factory", address: `0x${"2".repeat(40)}`, startBlock: 1, chain: "base" },
      { abi: "Child", source: { abi: "Factory", eventSignature: "Made", addressParam: "made" } },
    ],
  };
  const input = testFolder({ "subgraph.json": JSON.stringify(config) });
  const host = createNodeHost({ cwd: input });
  const built = await build(join(input, "subgraph.json"), host, { asc, optimize: judgedBuild });
  expect(built.ok).toBe(true);
  const project = testFolder(built.files);
  const scripts = JSON.parse(String(built.files.get("package.json"))).scripts as Record<string, string>;
  rmSync(join(project, "build"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  const recipe = JSON.stringify(recipeOf(judgedBuild)) ?? "";
  const env = { ...process.env, NODE_OPTIONS: `--import ${light}`, GRAPHLOOM_TEST_RECIPE: recipe };
  execFileSync("npm", ["run", "build"], { cwd: project, stdio: "pipe", env });
  // It would generate what is there: the same command does for the examples.
  const codegen = "graph codegen subgraph.mainnet.yaml && graph codegen subgraph.base.yaml";
  expect(scripts).toEqual({ codegen, build: expect.any(String) });
  for (const path of ["build/base/Factory/Factory.wasm", "build/mainnet/Alpha/Alpha.wasm"]) {
    const theirs = readFileSync(join(project, path));
    expect(theirs.equals(built.files.get(path) as Uint8Array), path).toBe(true);
    expect(wasmInterface(theirs).exports).toContain("handleChildMoved");
  }
});
