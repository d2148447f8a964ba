import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Compilation } from "../../../src/compiler/compilation.js";
import { build, compile } from "../../../src/machine/compiler/compile.js";
import { createNodeHost } from "../../../src/machine/files/host.js";
import { asc, ascEachTime } from "../../support/compiler/asc.js";
import { exampleNames } from "../../support/compiler/examples.js";
import { memoryHost } from "../../support/compiler/memory-host.js";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A short string for every file, so that a difference is readable. */
function digests(files: Compilation["files"]): Record<string, string> {
  const digest = (content: string | Uint8Array): string =>
    createHash("sha256").update(content).digest("hex").slice(0, 12);
  return Object.fromEntries([...files].map(([path, content]) => [path, digest(content)]));
}

/** The files of an example, by path relative to it: JSON as its value, a mapping of its own as text. */
function sourcesOf(example: string): Record<string, Json> {
  const folder = join("examples", example);
  const names = readdirSync(join(folder, "abis")).map((name) => `abis/${name}`);
  const own = readdirSync(folder).filter((name) => /\.(?:ts|graphql)$/.test(name));
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  return Object.fromEntries([
    ...["subgraph.json", ...names].map((name) => [name, JSON.parse(read(name))]),
    ...own.map((name) => [name, read(name)]),
  ]);
}

async function compiled(files: Record<string, string>, path = "subgraph.json"): Promise<Compilation> {
  const outcome = await compile(path, memoryHost(files));
  expect(outcome.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return outcome;
}

const texts = (sources: Record<string, Json>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(sources).map(([path, json]) => [
      path,
      path.endsWith(".json") ? JSON.stringify(json) : String(json),
    ]),
  );

/** Pseudo-random numbers from 0 to 1 that repeat in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The same value with the keys of all objects in a different order, except in `calls`, whose order matters. */
function shuffled(value: Json, next: () => number, key = ""): Json {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, next));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, shuffled(inner, next, name)] as const);
  if (key === "calls") return Object.fromEntries(entries);
  const ranked = entries.map((entry) => ({ entry, rank: next() })).sort((a, b) => a.rank - b.rank);
  return Object.fromEntries(ranked.map(({ entry }) => entry));
}

describe.each(exampleNames)("example %s", (example) => {
  const sources = sourcesOf(example);
  const folder = join(process.cwd(), "examples", example);

  it("builds the same twice, and the same as compile writes", async () => {
    // What another run, worker or test has compiled counts as the first time.
    const runs = [asc, ascEachTime].map((each) =>
      build("subgraph.json", memoryHost(texts(sources)), { asc: each }),
    );
    const [first, second] = await Promise.all(runs);
    expect(first?.ok).toBe(true);
    expect(digests(second?.files ?? new Map())).toEqual(digests(first?.files ?? new Map()));
    const sourcesOnly = await compiled(texts(sources));
    expect(digests(first?.files ?? new Map())).toMatchObject(digests(sourcesOnly.files));
  });

  it("compiles the same from every working directory", async () => {
    const want = digests((await compiled(texts(sources))).files);
    const calls = [
      ["/", join(folder, "subgraph.json")],
      [folder, "subgraph.json"],
      [folder, "./abis/../subgraph.json"],
      [process.cwd(), relative(process.cwd(), join(folder, "subgraph.json"))],
    ] as const;
    for (const [cwd, path] of calls) {
      const { files } = await compile(path, createNodeHost({ cwd }));
      expect(digests(files), `${path} in ${cwd}`).toEqual(want);
      const names = [...files].filter(([, content]) => String(content).includes(process.cwd()));
      expect(names).toEqual([]);
    }
  });

  it.each([1, 2, 3, 4, 5])("compiles the same with its keys in a different order (%i)", async (seed) => {
    const next = random(seed);
    const other = texts(
      Object.fromEntries(Object.entries(sources).map(([path, json]) => [path, shuffled(json, next)])),
    );
    expect(other["subgraph.json"]).not.toBe(texts(sources)["subgraph.json"]);
    const want = await compiled(texts(sources));
    expect(digests((await compiled(other)).files)).toEqual(digests(want.files));
  });

  it("compiles the same from YAML", async () => {
    const { "subgraph.json": config = null, ...abis } = sources;
    const want = digests((await compiled(texts(sources))).files);
    for (const style of ["PLAIN", "QUOTE_DOUBLE", "BLOCK_FOLDED"] as const) {
      const yaml = stringify(config, { defaultStringType: style, defaultKeyType: "PLAIN", lineWidth: 60 });
      const got = await compiled({ ...texts(abis), "subgraph.yaml": yaml }, "subgraph.yaml");
      expect(digests(got.files), style).toEqual(want);
    }
  });
});
