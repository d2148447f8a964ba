import { posix } from "node:path";
import { EventFragment, Interface, id } from "ethers";
import { expect } from "vitest";
import { parse, stringify } from "yaml";
import { type BuiltFiles, build, readBuilt, renderText } from "../../../src/exports/index.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { PlayedFunctions } from "./played-contracts.js";
import { type Playable, PlayedSubgraph } from "./played-subgraph.js";
import { ScenarioSchema } from "./scenario-schema.js";

/** An ABI in ethers' human-readable form. */
export type HumanAbi = readonly string[];

/** The parts of a configuration that tests write, with ABIs in the human-readable form. */
export interface Scenario {
  readonly abis: Readonly<Record<string, HumanAbi>>;
  readonly instances: readonly object[];
  readonly enableCallHandlers?: boolean;
}

export interface BuiltScenario {
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly schema: ScenarioSchema;
  /** Codes of warnings and notes with their messages. */
  readonly said: readonly string[];
  /** The part that runs. `manifest` is required when there are several chains. */
  playable(manifest?: string): Playable;
  /** Runs it on a new, empty chain. */
  play(manifest?: string): PlayedSubgraph;
}

/** Builds a configuration, which must succeed. All builds of a test file share one compiler. */
export async function buildScenario({ abis, ...rest }: Scenario): Promise<BuiltScenario> {
  const inline = Object.entries(abis).map(([name, abi]) => [name, jsonAbi(abi)]);
  const config = { version: "1", name: "test/1.0.0", abis: Object.fromEntries(inline), ...rest };
  const host = memoryHost({ "subgraph.json": JSON.stringify(config, null, 2) });
  const { ok, files, diagnostics } = await build("subgraph.json", host, { asc });
  expect(ok, renderText(diagnostics)).toBe(true);
  const read = new Map<string, Playable>();
  const playable = (manifest = "build/subgraph.yaml"): Playable => {
    const known = read.get(manifest) ?? { ...readManifest(files, manifest), functions, schema };
    read.set(manifest, known);
    return known;
  };
  const schema = new ScenarioSchema(textOf(files, "schema.graphql"));
  const functions = new PlayedFunctions(Object.values(abis));
  return {
    files,
    schema,
    said: diagnostics.map(({ code, message, notes }) => `${code}: ${message}: ${notes.join()}`),
    playable,
    play: (manifest) => new PlayedSubgraph(playable(manifest)),
  };
}

interface Manifest {
  readonly dataSources: readonly Template[];
  readonly templates?: readonly Template[];
}

interface Template {
  readonly mapping: { readonly eventHandlers?: { readonly event: string; calls?: unknown }[] };
}

/** The build of a manifest, with and without the calls it declares. */
function readManifest(files: BuiltScenario["files"], path: string) {
  const own = filesBeside(files, path);
  const manifest = parse(textOf(files, path)) as Manifest;
  const declaring = new Set<string>();
  for (const { mapping } of [...manifest.dataSources, ...(manifest.templates ?? [])]) {
    for (const handler of mapping.eventHandlers ?? []) {
      if (handler.calls) declaring.add(id(handler.event.replaceAll("indexed ", "")));
      delete handler.calls;
    }
  }
  const undeclared = new Map(own.files).set(own.manifest, stringify(manifest));
  return { built: readBuilt(own), undeclared: readBuilt({ ...own, files: undeclared }), declaring };
}

/** The files of a manifest's folder. */
function filesBeside(files: BuiltScenario["files"], path: string): BuiltFiles {
  const folder = `${posix.dirname(path)}/`;
  const own = [...files].filter(([file]) => file.startsWith(folder));
  const relative = own.map(([file, content]) => [file.slice(folder.length), content] as const);
  return { manifest: posix.basename(path), files: new Map(relative) };
}

function textOf(files: BuiltScenario["files"], path: string): string {
  const text = files.get(path);
  if (typeof text !== "string") throw new Error(`${path} is not there as a text`);
  return text;
}

/** The JSON form of an ABI. The one of ethers loses that a list is indexed. */
export function jsonAbi(abi: HumanAbi): object[] {
  return new Interface(abi).fragments.map((fragment) => {
    const entry = JSON.parse(fragment.format("json"));
    if (!EventFragment.isFragment(fragment)) return entry;
    const indexed = fragment.inputs.map((input) => input.indexed);
    return {
      ...entry,
      inputs: entry.inputs.map((input: object, i: number) => ({ ...input, indexed: indexed[i] })),
    };
  });
}

/** An instance at an address. */
export function instance(
  abi: string,
  address: string,
  handlers?: object,
  { chain = "mainnet", ...options }: { readonly chain?: string; readonly debugging?: boolean } = {},
): object {
  const enrich = handlers && { enrich: { options, handlers } };
  return { abi, address, startBlock: 1, chain, ...enrich };
}

/** The addresses that tests use, in lower case: `a(1)` is `0x00…01`. */
export const a = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`;
