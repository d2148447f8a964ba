import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Asc } from "../../../src/compiler/asc/asc.js";
import { createNodeHost } from "../../../src/machine/files/host.js";
import type { Block, Log, Transaction } from "../../../src/runtime/chain/chain.js";
import type { EthereumValue, EventTrigger } from "../../../src/runtime/values.js";
import { compileMapping } from "../../../src/runtime/wasm/compile-mapping.js";
import type { Mapping, MappingWorld } from "../../../src/runtime/wasm/mapping.js";
import type { Entity } from "../../../src/subgraph/schema/entity.js";
import { asc } from "../../support/compiler/asc.js";

/** Compiles an AssemblyScript module as `graph build` would. */
export async function assemble(source: string, asc: Asc): Promise<Uint8Array> {
  const output = await asc.compile({
    entry: "src/mapping.ts",
    files: new Map([["src/mapping.ts", source]]),
    graphTs: await createNodeHost({ cwd: "/" }).packageSources("@graphprotocol/graph-ts"),
    expressions: [],
    mode: "fast",
  });
  if (output.kind !== "compiled" || !output.wasm) throw new Error(JSON.stringify(output, null, 2));
  return output.wasm;
}

/** The mapping in `probe.as`, whose handlers do what they are told and log what came out. */
export async function compileProbe(): Promise<Mapping> {
  const wasm = await assemble(readFileSync(new URL("./probe.as", import.meta.url), "utf8"), asc);
  return compileMapping(wasm);
}

/** A hash or an address of equal bytes. */
export const filled = (byte: number, length = 32): string =>
  `0x${byte.toString(16).padStart(2, "0").repeat(length)}`;

export const block: Block = {
  number: 18_000_000,
  hash: filled(1),
  parentHash: filled(2),
  unclesHash: filled(3),
  author: filled(4, 20),
  stateRoot: filled(5),
  transactionsRoot: filled(6),
  receiptsRoot: filled(7),
  gasUsed: 12_345_678n,
  gasLimit: 30_000_000n,
  timestamp: 1_700_000_000n,
  difficulty: 0n,
  totalDifficulty: 58_750_003_716_598_352_816_469n,
  size: 128n,
  baseFeePerGas: 2n ** 63n,
  transactions: new Map(),
};

export const transaction: Transaction = {
  hash: filled(9),
  index: 130,
  from: filled(10, 20),
  to: filled(11, 20),
  value: 2n ** 255n,
  gasLimit: 100_000n,
  gasPrice: 9_000_000_000n,
  input: "0xa9059cbb",
  nonce: 255n,
};

export const log: Log = {
  address: filled(12, 20),
  topics: [filled(13), filled(14)],
  data: "0x0102",
  block,
  transactionHash: transaction.hash,
  transactionIndex: transaction.index,
  logIndex: 40_000,
  removed: false,
};

/** An event with these parameters, whose names are `p0`, `p1`, … */
export function eventOf(...values: readonly EthereumValue[]): EventTrigger {
  const params = values.map((value, i) => ({ name: `p${i}`, value }));
  return { kind: "event", log, block, transaction, params };
}

export const text = (value: string): EthereumValue => ({ kind: "string", value });
export const bytes = (value: string | Uint8Array): EthereumValue => ({
  kind: "bytes",
  value: typeof value === "string" ? value : `0x${Buffer.from(value).toString("hex")}`,
});
export const int = (value: bigint | number): EthereumValue => ({ kind: "int", value: BigInt(value) });
export const uint = (value: bigint | number): EthereumValue => ({ kind: "uint", value: BigInt(value) });
export const address = (value: string): EthereumValue => ({ kind: "address", value });

/** A world where nothing is, and what was done to it. */
export interface TestWorld extends MappingWorld {
  readonly said: string[];
  readonly done: (readonly unknown[])[];
}

export function testWorld(overrides: Partial<MappingWorld> = {}): TestWorld {
  const said: string[] = [];
  const done: (readonly unknown[])[] = [];
  const note =
    (name: string) =>
    (...values: readonly unknown[]): void => {
      done.push([name, ...values]);
    };
  return {
    address: filled(12, 20),
    network: "mainnet",
    context: new Map() as Entity,
    get: () => undefined,
    getInBlock: () => undefined,
    related: () => [],
    set: note("set"),
    remove: note("remove"),
    call: () => undefined,
    balance: () => 0n,
    hasCode: () => false,
    file: () => undefined,
    ipfsBlock: (path) => (path === "none" ? undefined : new TextEncoder().encode(`block ${path}`)),
    neededFile: () => new Uint8Array(),
    ensName: () => null,
    apart: (task) => task(testWorld(overrides)),
    createDataSource: note("create"),
    log: (level, message) => said.push(level === "info" ? message : `${level}: ${message}`),
    ...overrides,
    said,
    done,
  };
}

/** What a handler says. */
export function ask(
  mapping: Mapping,
  handler: string,
  ...values: readonly EthereumValue[]
): readonly string[] {
  const world = testWorld();
  mapping.run(handler, eventOf(...values), world);
  return world.said;
}

/** The one line a handler says. */
export function answer(
  mapping: Mapping,
  handler: string,
  ...values: readonly EthereumValue[]
): string | undefined {
  const said = ask(mapping, handler, ...values);
  expect(said).toHaveLength(1);
  return said[0];
}
