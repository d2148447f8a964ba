import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { build, createNodeHost } from "../src/exports/index.js";
import { asc } from "./support/compiler/asc.js";
import { type CorpusEntry, corpus, loadAbi } from "./support/corpus/corpus.js";
import type { AbiEntry } from "./support/corpus/features.js";
import { testFolder } from "./support/folder.js";
import { judge, judgedBuild } from "./support/judge/judge.js";

/*
 * The ABIs of the corpus go through the whole pipeline, and graph-cli judges the result. It must accept the project,
 * write the same bindings, and compile the same WASM, to the byte. Both optimize fast, or, with GRAPHLOOM_JUDGE=full,
 * as graph-cli does.
 */

type Files = ReadonlyMap<string, string | Uint8Array>;

interface Group {
  readonly name: string;
  readonly enableCallHandlers: boolean;
  readonly entries: readonly CorpusEntry[];
}

const groupSize = 10;

const groups: readonly Group[] = Array.from({ length: Math.ceil(corpus.length / groupSize) }, (_, i) => {
  const entries = corpus.slice(i * groupSize, (i + 1) * groupSize);
  const range = `${entries[0]?.id} to ${entries.at(-1)?.id}`;
  const enableCallHandlers = i % 2 === 1;
  return { name: enableCallHandlers ? `${range}, with call handlers` : range, enableCallHandlers, entries };
});

/** All groups with GRAPHLOOM_JUDGE=full, otherwise a seventh, with call handlers and without. */
const judged = groups.filter((_, i) => judgedBuild === "full" || i % 7 === 0);

describe("a generated configuration", () => {
  test.each(
    judged.map((group) => [group.name, group] as const),
  )("is accepted and reproduced by graph-cli: %s", async (_, group) => {
    const input = testFolder(inputOf(group));
    const host = createNodeHost({ cwd: input });
    const built = await build(join(input, "subgraph.json"), host, { asc, optimize: judgedBuild });
    expect(built.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(built.ok).toBe(true);
    const manifest = textOf(built.files, "subgraph.yaml") ?? "";
    const abis = group.entries.map(loadAbi);
    const functions = group.enableCallHandlers ? abis.flatMap((abi) => abi.filter(isStateChanging)) : [];
    expect(manifest.match(/- event: /g)).toHaveLength(
      abis.flatMap((abi) => abi.filter(isDeliverable)).length,
    );
    expect(manifest.match(/- function: /g) ?? []).toHaveLength(functions.length);

    const verdict = await judge(testFolder(built.files), { build: judgedBuild });
    expect(verdict.ok, verdict.output).toBe(true);

    const [ours, ...others] = wasmOf(built.files);
    expect(others).toEqual([]);
    expect(wasmOf(verdict.build).map((theirs) => Buffer.compare(theirs, ours as Uint8Array))).toEqual([0]);
    expect(verdict.generated.size).toBeGreaterThan(0);
    for (const [path, text] of verdict.generated) expect(textOf(built.files, path), path).toBe(text);
  });
});

/** All contracts of a group share one module, hence one WASM file. */
function wasmOf(files: Files): Uint8Array[] {
  const modules = [...files].filter(([path]) => path.endsWith(".wasm"));
  return modules.flatMap(([, content]) => (typeof content === "string" ? [] : [content]));
}

function textOf(files: Files, path: string): string | undefined {
  const content = files.get(path);
  return content === undefined || typeof content === "string" ? content : new TextDecoder().decode(content);
}

/** A configuration with one data source per ABI. */
function inputOf({ enableCallHandlers, entries }: Group): Files {
  const config = {
    version: "1",
    name: "sweep",
    enableCallHandlers,
    abis: Object.fromEntries(entries.map(({ id }) => [id, { path: `./abis/${id}.json` }])),
    instances: entries.map((entry, i) => ({
      abi: entry.id,
      address: `0x${(corpus.indexOf(entry) + 1).toString(16).padStart(40, "0")}`,
      startBlock: 1_000_000 + i,
      chain: "mainnet",
      ...enrichmentOf(loadAbi(entry), i),
    })),
  };
  return new Map([
    ["subgraph.json", JSON.stringify(config, null, 2)],
    ...entries.map((entry) => [`abis/${entry.id}.json`, JSON.stringify(loadAbi(entry), null, 2)] as const),
  ]);
}

/** For the ABIs with a plain getter: an entity that stores its result at the first event. */
function enrichmentOf(abi: readonly AbiEntry[], index: number): object {
  const getter = abi.find((entry) => isPlainGetter(entry) && isOnly(entry, abi));
  const event = abi.find((entry) => isDeliverable(entry) && isOnly(entry, abi));
  const type = getter?.outputs?.[0]?.type;
  if (getter === undefined || event === undefined || type === undefined) return {};
  const value =
    type === "address" ? 'calls.reading === null ? "" : calls.reading!.toHexString()' : "calls.reading";
  return {
    enrich: {
      handlers: {
        [event.name ?? ""]: {
          calls: { reading: { name: getter.name, declared: index % 2 === 0 } },
          entities: { [`Reading${index}`]: { [`reading ${type}`]: value } },
        },
      },
    },
  };
}

function isPlainGetter({ type, inputs, outputs, stateMutability }: AbiEntry): boolean {
  const [output, ...others] = outputs ?? [];
  return (
    type === "function" &&
    stateMutability === "view" &&
    inputs?.length === 0 &&
    others.length === 0 &&
    /^(address|string|bool|bytes32|u?int\d+)$/.test(output?.type ?? "")
  );
}

function isDeliverable({ type, anonymous, inputs = [] }: AbiEntry): boolean {
  return (
    type === "event" && anonymous !== true && !inputs.some((p) => p.indexed && p.type.startsWith("tuple"))
  );
}

/** The oldest ABIs have `constant` in place of `stateMutability`. */
function isStateChanging({ type, stateMutability, constant }: AbiEntry): boolean {
  if (stateMutability === undefined) return type === "function" && constant !== true;
  return type === "function" && (stateMutability === "nonpayable" || stateMutability === "payable");
}

function isOnly(entry: AbiEntry, abi: readonly AbiEntry[]): boolean {
  return abi.filter(({ type, name }) => type === entry.type && name === entry.name).length === 1;
}
