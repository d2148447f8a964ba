import { EventFragment, Interface } from "ethers";
import { afterAll, expect } from "vitest";
import type { Asc } from "../../../src/compiler/asc/asc.js";
import { renderText } from "../../../src/compiler/diagnostics/render-text.js";
import { startAsc } from "../../../src/node/asc.js";
import { build } from "../../../src/node/compile.js";
import { memoryHost } from "../../support/memory-host.js";
import { WasmHost } from "../../support/wasm-host.js";

/** An ABI in ethers' human readable form. */
export type HumanAbi = readonly string[];

/** The parts of a configuration the tests write; ABIs are given in the human readable form. */
export interface Scenario {
  readonly abis: Readonly<Record<string, HumanAbi>>;
  readonly instances: readonly object[];
  readonly enableCallHandlers?: boolean;
}

export interface BuiltScenario {
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Codes of warnings and notes with their messages. */
  readonly said: readonly string[];
  /** A new chain without history; `manifest` is needed when there are several chains. */
  host(manifest?: string): WasmHost;
}

let asc: Asc | undefined;
afterAll(() => asc?.close());

/** Builds a configuration, which must succeed; one compiler serves all builds of a test file. */
export async function buildScenario({ abis, ...rest }: Scenario): Promise<BuiltScenario> {
  asc ??= startAsc();
  const inline = Object.entries(abis).map(([name, abi]) => [name, jsonAbi(abi)]);
  const config = { version: "1", name: "test/1.0.0", abis: Object.fromEntries(inline), ...rest };
  const host = memoryHost({ "subgraph.json": JSON.stringify(config, null, 2) });
  const { ok, files, diagnostics } = await build("subgraph.json", host, { asc });
  expect(ok, renderText(diagnostics)).toBe(true);
  return {
    files,
    said: diagnostics.map(({ code, message, notes }) => `${code}: ${message}: ${notes.join()}`),
    host: (manifest) => new WasmHost(files, manifest),
  };
}

/** The JSON form of an ABI; ethers' own forgets that a list is indexed. */
function jsonAbi(abi: HumanAbi): object[] {
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

/** Well-known addresses of the tests, lower case: `a(1)` is `0x00…01`. */
export const a = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`;
