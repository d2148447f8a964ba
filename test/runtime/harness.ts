import { expect } from "vitest";
import { build, type Compilation, renderText } from "../../src/exports/index.js";
import type { Chain } from "../../src/runtime/chain/chain.js";
import { createRpcChain } from "../../src/runtime/chain/rpc-chain.js";
import { decimalText } from "../../src/runtime/numbers/big-decimal.js";
import { type RunOptions, type RunOutcome, run } from "../../src/runtime/run-subgraph.js";
import { MemoryStore } from "../../src/runtime/store/memory-store.js";
import type { Store } from "../../src/runtime/store/store.js";
import { readRunnable } from "../../src/subgraph/runnable/read-runnable.js";
import type { Entity, StoreValue } from "../../src/subgraph/schema/entity.js";
import type { Anvil } from "../support/chain/anvil.js";
import { asc } from "../support/compiler/asc.js";
import { memoryHost } from "../support/compiler/memory-host.js";

/** Builds a configuration, which must succeed; one compiler serves all builds of a test file. */
export async function buildConfig(config: object): Promise<Compilation> {
  const text = JSON.stringify({ version: "1", name: "test/1.0.0", ...config }, null, 1);
  const built = await build("c.json", memoryHost({ "c.json": text }), { asc });
  expect(built.ok, renderText(built.diagnostics)).toBe(true);
  return built;
}

/** A subgraph that was run: what it says, and its entities as plain values. */
export interface Ran extends RunOutcome {
  readonly store: Store;
  /** The entities of a type by id; bytes as hex text, `BigInt` as bigint, `BigDecimal` as decimal text. */
  all(type: string, at?: number): Promise<readonly PlainEntity[]>;
}

export type PlainEntity = Readonly<Record<string, unknown>>;

/** Runs a built subgraph on a local chain from its first block, or goes on with a store. */
export async function runOn(
  anvil: Anvil | Chain,
  { files }: Pick<Compilation, "files">,
  options: RunOptions & { readonly store?: Store; readonly manifest?: string } = {},
): Promise<Ran> {
  const folder = options.manifest ?? "build/";
  const own = [...files].filter(([path]) => path.startsWith(folder));
  const built = readRunnable({
    manifest: "subgraph.yaml",
    files: new Map(own.map(([path, content]) => [path.slice(folder.length), content])),
  });
  const store = options.store ?? new MemoryStore(built.entities);
  const chain = "client" in anvil ? createRpcChain(anvil.client) : anvil;
  const outcome = await run(built, chain, store, { from: 0, ...options });
  return {
    ...outcome,
    store,
    all: async (type, at) => (await store.all(type, at)).map(plainEntity),
  };
}

/** An entity as tests compare it. */
export function plainEntity(entity: Entity): PlainEntity {
  return Object.fromEntries([...entity].map(([name, value]) => [name, plain(value)]));
}

function plain(value: StoreValue): unknown {
  if (value.kind === "Null") return null;
  if (value.kind === "Array") return value.value.map(plain);
  return value.kind === "BigDecimal" ? decimalText(value.value) : value.value;
}
