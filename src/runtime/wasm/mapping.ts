import type { Entity } from "../../subgraph/schema/entity.js";
import type { Block, CallTrace, Log, Receipt, Transaction } from "../chain/chain.js";

/**
 * A compiled module of mappings. Every run has an instance of its own, as in graph-node, so nothing a handler keeps
 * in a global outlives it.
 */
export interface Mapping {
  /** Names of exported functions. */
  readonly exports: ReadonlySet<string>;
  /**
   * Runs a handler.
   * @throws Fault when the world does not have an answer yet: fetch it and run the handler again
   * @throws DeterministicError for traps, `abort`, a critical log and whatever would fail the same on every node
   */
  run(handler: string, trigger: Trigger, world: World): void;
}

/** What a handler is given. */
export type Trigger = EventTrigger | CallTrigger;

export interface EventTrigger {
  readonly kind: "event";
  readonly log: Log;
  readonly block: Block;
  readonly transaction: Transaction;
  readonly params: readonly DecodedParameter[];
  readonly receipt?: Receipt;
}

export interface CallTrigger {
  readonly kind: "call";
  readonly call: CallTrace;
  readonly block: Block;
  readonly transaction: Transaction;
  readonly inputs: readonly DecodedParameter[];
  readonly outputs: readonly DecodedParameter[];
}

/** A decoded parameter; the name is empty when the ABI has none. */
export interface DecodedParameter {
  readonly name: string;
  readonly value: EthereumValue;
}

/** An `ethereum.Value`: addresses and bytes as lower-case hex text. */
export type EthereumValue =
  | { readonly kind: "address" | "fixedBytes" | "bytes" | "string"; readonly value: string }
  | { readonly kind: "int" | "uint"; readonly value: bigint }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "fixedArray" | "array" | "tuple"; readonly value: readonly EthereumValue[] };

/**
 * What the host functions reach outside of the instance. All of it is synchronous: what would have to be fetched
 * throws a `Fault` that says what is missing.
 */
export interface World {
  /** Of the data source whose handler runs. */
  readonly address: string;
  readonly network: string;
  readonly context: Entity;
  get(type: string, id: string): Entity | undefined;
  getInBlock(type: string, id: string): Entity | undefined;
  related(type: string, id: string, field: string): readonly Entity[];
  set(type: string, id: string, data: Entity): void;
  remove(type: string, id: string): void;
  /** The values returned, or nothing when the call reverts. */
  call(call: ContractCall): readonly EthereumValue[] | undefined;
  balance(address: string): bigint;
  hasCode(address: string): boolean;
  createDataSource(template: string, params: readonly string[], context?: Entity): void;
  log(level: LogLevel, message: string): void;
}

/** A call of a contract as a mapping asks for it, unchecked. */
export interface ContractCall {
  /** The ABI's name in the manifest. */
  readonly contract: string;
  readonly address: string;
  readonly name: string;
  /** `balanceOf(address):(uint256)` */
  readonly signature: string;
  readonly args: readonly EthereumValue[];
}

export const logLevels = ["critical", "error", "warning", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Something outside is missing that a handler asked for. Not a failure: it is fetched, and the handler runs again. */
export class Fault extends Error {
  /** Gets what is missing, so that the next run finds it. */
  readonly fetch: () => Promise<void>;

  /** @param fetch gets what is missing, so that the next run finds it */
  constructor(fetch: () => Promise<void>) {
    super("a handler asked for what is not here yet");
    this.fetch = fetch;
  }
}

/** A failure that every node would have at the same place. */
export class DeterministicError extends Error {}
