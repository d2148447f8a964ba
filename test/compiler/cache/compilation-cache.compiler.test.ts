import { cpSync, existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { summarize } from "../../../src/cli/compile/summary.js";
import type { Asc, AscOutput } from "../../../src/compiler/asc/asc.js";
import {
  type CompileRequest,
  keepCompilation,
  recallCompilation,
} from "../../../src/compiler/cache/compilation-cache.js";
import { longestPacked } from "../../../src/compiler/cache/packed-string.js";
import { recordHost } from "../../../src/compiler/cache/recorded-host.js";
import type { Compilation } from "../../../src/compiler/compilation.js";
import { renderGithub } from "../../../src/compiler/diagnostics/render-github.js";
import { renderJson } from "../../../src/compiler/diagnostics/render-json.js";
import { renderText } from "../../../src/compiler/diagnostics/render-text.js";
import { applyFixes } from "../../../src/compiler/fix/apply-fixes.js";
import type { Host } from "../../../src/compiler/host.js";
import { build, check } from "../../../src/machine/compiler/compile.js";
import { createNodeHost } from "../../../src/machine/files/host.js";
import { config, storing } from "../../cli/harness.js";
import { asc } from "../../support/compiler/asc.js";
import { exampleNames } from "../../support/compiler/examples.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { testFolder } from "../../support/folder.js";
import { type MemoryCache, memoryCache } from "./memory-cache.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folders = [
  ...readdirSync(join(root, "test/compiler/diagnostics")).map((name) =>
    join("test/compiler/diagnostics", name),
  ),
  ...exampleNames.map((name) => join("examples", name)),
].filter((folder) => configIn(folder) !== undefined);

function configIn(folder: string): string | undefined {
  const names = existsSync(join(root, folder, "printed.txt")) || folder.startsWith("examples");
  return names ? readdirSync(join(root, folder)).find((name) => name.startsWith("subgraph.")) : undefined;
}

/** Compiles, unless the cache has the compilation. */
async function once(
  cache: MemoryCache,
  host: Host,
  request: Partial<CompileRequest> = {},
  compiler: Asc = asc,
): Promise<{ readonly compiled: Compilation; readonly isKept: boolean }> {
  const asked: CompileRequest = { command: "check", configPath: "c.json", options: {}, ...request };
  const recorded = recordHost(host);
  const kept = await recallCompilation(asked, recorded, cache);
  if (kept) return { compiled: kept, isKept: true };
  const compiled = await { build, check }[asked.command](asked.configPath, recorded, {
    ...asked.options,
    asc: compiler,
  });
  await keepCompilation(asked, recorded, compiled, cache);
  return { compiled, isKept: false };
}

/** Everything that commands use of a compilation. */
function shown({ ok, diagnostics, files, origins, model }: Compilation): object {
  const sources = new Map(
    diagnostics.flatMap(({ at }) => (at ? [[at.source.path, at.source] as const] : [])),
  );
  return {
    ok,
    text: renderText(diagnostics),
    json: renderJson(diagnostics),
    github: renderGithub(diagnostics),
    files: [...files].map(([path, content]) => [path, Buffer.from(content).toString("latin1")]),
    origins: [...origins].map(([path, own]) => [
      path,
      own.map(({ expression, ...rest }) => ({
        ...rest,
        value: expression.value,
        at: expression.at,
        parts: [...expression.value].map((_, index) => expression.part(index, index + 2)),
      })),
    ]),
    fixed: [...sources.values()].map((source) => applyFixes(source, diagnostics).text),
    summary: model && summarize(model, 1000),
    name: [model?.name, model?.version],
  };
}

describe("a cached compilation", () => {
  it.each(folders)("equals a fresh one, diagnostics included: %s", async (folder) => {
    const cache = memoryCache();
    const path = configIn(folder) as string;
    const request = {
      command: folder.startsWith("examples") ? "build" : "check",
      configPath: path,
    } as const;
    const host = createNodeHost({ cwd: join(root, folder) });
    const fresh = await once(cache, host, request);
    const kept = await once(cache, host, request);
    expect(shown(kept.compiled)).toEqual(shown(fresh.compiled));
    // A crash of the compiler may not happen again the next time.
    expect([fresh.isKept, kept.isKept]).toEqual([false, !folder.endsWith("expression-crashes-compiler")]);
    const before = fresh.compiled as Compilation;
    expect(kept.compiled.diagnostics.map(({ fix: _, ...rest }) => rest)).toEqual(
      before.diagnostics.map(({ fix: _, ...rest }) => rest),
    );
    expect(kept.compiled.files).toEqual(before.files);
  });

  it("keeps a shared object shared", async () => {
    const cache = memoryCache();
    const host = memoryHost({ "c.json": storing("event.params.value.toString() + event.params.nothing") });
    await once(cache, host);
    const { compiled } = await once(cache, host);
    const found = new Set(compiled.diagnostics.map(({ at }) => at?.source));
    expect([compiled.diagnostics.length > 0, found.size]).toEqual([true, 1]);
  });

  it("keeps a string of several lines a single string", async () => {
    const cache = memoryCache();
    const host = memoryHost({
      "c.json": storing("event.params.value\n  .plus(event.params.value)\n  .toString()"),
    });
    await once(cache, host);
    const { compiled, isKept } = await once(cache, host);
    const lines = [...compiled.origins.values()].flat();
    expect([isKept, lines.length, new Set(lines.map(({ expression }) => expression)).size]).toEqual([
      true,
      3,
      1,
    ]);
  });

  it("is found after the configuration and its ABIs were moved", async () => {
    const cache = memoryCache();
    const place = testFolder();
    cpSync(join(root, "examples/uniswap-v3"), join(place, "one"), { recursive: true });
    const request = { configPath: "subgraph.json" };
    await once(cache, createNodeHost({ cwd: join(place, "one") }), request);
    renameSync(join(place, "one"), join(place, "two"));
    const moved = await once(cache, createNodeHost({ cwd: join(place, "two") }), request);
    expect(moved.isKept).toBe(true);
  });

  it("belongs to the path of the configuration as given, because diagnostics print it", async () => {
    const cache = memoryCache();
    const host = memoryHost({ "c.json": "[]", "folder/c.json": "[]" });
    await once(cache, host);
    const other = await once(cache, host, { configPath: "folder/c.json" });
    expect(other.isKept).toBe(false);
    expect(other.compiled.diagnostics[0]?.at?.source.path).toBe("folder/c.json");
  });

  it("can be of standard input, which is read once", async () => {
    const cache = memoryCache();
    const request = { configPath: "-" };
    await once(cache, memoryHost({ "-": config() }), request);
    const second = memoryHost({ "-": config() });
    expect((await once(cache, second, request)).isKept).toBe(true);
    expect(second.reads).toEqual(["-"]);
    const third = memoryHost({ "-": config({ name: "other" }) });
    const { isKept, compiled } = await once(cache, third, request);
    expect([isKept, compiled.model?.name, third.reads]).toEqual([false, "other", ["-"]]);
  });
});

const abi = '[{"type":"event","name":"E","inputs":[{"name":"a","type":"uint256","indexed":false}]}]';
const named = config({ abis: { Token: { path: "abis/Token.json" } } });
const files = { "c.json": named, "abis/Token.json": abi, "abis/Other.json": abi };

describe("a configuration is compiled again", () => {
  it.each<[string, Readonly<Record<string, string>>, Partial<CompileRequest>]>([
    ["when the configuration changes", { ...files, "c.json": `${named} ` }, {}],
    ["when an ABI changes", { ...files, "abis/Token.json": `${abi} ` }, {}],
    ["when an ABI was removed", { "c.json": named }, {}],
    ["when it has another name", files, { options: { name: "other" } }],
    ["when it has another version", files, { options: { version: "2.0.0" } }],
    ["when it has a description", files, { options: { description: "of it" } }],
    ["when it handles calls", files, { options: { callHandlers: true } }],
    ["when the optimisation changes", files, { options: { optimize: "full" } }],
    ["when it is to be built", files, { command: "build" }],
  ])("%s", async (_, changed, request) => {
    const cache = memoryCache();
    await once(cache, memoryHost(files));
    expect((await once(cache, memoryHost(files))).isKept).toBe(true);
    expect((await once(cache, memoryHost(changed), request)).isKept).toBe(false);
  });

  it("unless only an unused file changes, or the options are in a different order", async () => {
    const cache = memoryCache();
    await once(cache, memoryHost(files), { options: { name: "a", version: "1" } });
    const host = memoryHost({ ...files, "abis/Other.json": "" });
    expect((await once(cache, host, { options: { version: "1", name: "a" } })).isKept).toBe(true);
  });

  it("when a missing file appears, but not when it disappears again", async () => {
    const cache = memoryCache();
    const without = await once(cache, memoryHost({ "c.json": named }));
    const between = await once(cache, memoryHost(files));
    const again = await once(cache, memoryHost({ "c.json": named }));
    expect([without, between, again].map(({ isKept }) => isKept)).toEqual([false, false, true]);
    expect(shown(again.compiled)).toEqual(shown(without.compiled));
  });

  it("when a similar file to suggest appears for a missing ABI", async () => {
    const cache = memoryCache();
    await once(cache, memoryHost({ "c.json": named }));
    expect((await once(cache, memoryHost({ "c.json": named }))).isKept).toBe(true);
    const near = Object.keys(files).filter((path) => path !== "c.json");
    const beside = Object.fromEntries(near.map((path) => [`abis/${path}`, "[]"]));
    const { isKept, compiled } = await once(cache, memoryHost({ "c.json": named, ...beside }));
    expect([isKept, compiled.diagnostics[0]?.hint]).toEqual([
      false,
      expect.stringMatching(/^write "\.\/abis\//),
    ]);
  });

  it("when a similar file to suggest appears for a missing configuration", async () => {
    const cache = memoryCache();
    await once(cache, memoryHost({}));
    expect((await once(cache, memoryHost({}))).isKept).toBe(true);
    const { isKept, compiled } = await once(cache, memoryHost({ "c.yaml": "" }));
    expect([isKept, compiled.diagnostics[0]?.hint]).toEqual([false, 'did you mean "c.yaml"?']);
  });

  it("after a file could not be read", async () => {
    const cache = memoryCache();
    const host: Host = { ...memoryHost(files), readFile: async () => ({ kind: "unreadable" }) };
    await once(cache, host);
    expect([cache.entries.size, (await once(cache, host)).isKept]).toEqual([0, false]);
  });

  it("after the compiler did not end", async () => {
    const answer: AscOutput = { kind: "hung", seconds: 60 };
    const hung: Asc = { compile: async () => answer, prepare: () => undefined, close: async () => undefined };
    const cache = memoryCache();
    const host = memoryHost({ "c.json": storing("event.params.from.toHexString()") });
    const { compiled } = await once(cache, host, {}, hung);
    expect(compiled.diagnostics.map(({ code }) => code)).toEqual(["compiler-hung"]);
    expect([cache.entries.size, (await once(cache, host)).compiled.ok]).toEqual([0, true]);
  });

  it("when an expression is too long for a table of places", async () => {
    const long = `"${"x".repeat(longestPacked)}"`;
    const cache = memoryCache();
    const host = memoryHost({ "c.json": storing(long) });
    const { compiled } = await once(cache, host);
    expect([compiled.ok, cache.entries.size]).toEqual([true, 0]);
  });
});

it("changing an address or a start block does not run the compiler again", async () => {
  const text = readFileSync(join(root, "examples/uniswap-v3/subgraph.json"), "utf8");
  const changed = text
    .replace(/0x[0-9a-fA-F]{40}/, `0x${"1".repeat(40)}`)
    .replace(/("startBlock": *)\d+/, "$17");
  expect(changed).not.toBe(text);
  const abis = join(root, "examples/uniswap-v3/abis");
  const beside = Object.fromEntries(
    readdirSync(abis).map((name) => [`abis/${name}`, readFileSync(join(abis, name))]),
  );
  const cache = memoryCache();
  let asked = 0;
  const counting: Asc = {
    ...asc,
    compile: (input) => {
      asked += 1;
      return asc.compile(input);
    },
  };
  const options = { asc: counting, cache };
  const first = await build("c.json", memoryHost({ "c.json": text, ...beside }), options);
  const second = await build("c.json", memoryHost({ "c.json": changed, ...beside }), options);
  expect([first.ok, second.ok, asked]).toEqual([true, true, 1]);
  const fresh = await build("c.json", memoryHost({ "c.json": changed, ...beside }), { asc });
  expect(second.files).toEqual(fresh.files);
  expect(first.files).not.toEqual(fresh.files);
});
