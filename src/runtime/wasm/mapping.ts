import type { Entity } from "../../subgraph/schema/entity.js";
import type { ContractCall, EthereumValue, LogLevel, Trigger } from "../values.js";

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
  run(handler: string, trigger: Trigger, world: MappingWorld): void;
}

/**
 * What the host functions reach outside of the instance. All of it is synchronous: what would have to be fetched
 * throws a `Fault` that says what is missing.
 */
export interface MappingWorld {
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
  /** The content of a file of IPFS; nothing when it cannot be had. */
  file(path: string): Uint8Array | undefined;
  /** The same of one without which the handler cannot go on. */
  neededFile(path: string): Uint8Array;
  /**
   * Does something that sees entities as they were before the block, and nothing that was written since; what it writes
   * counts as written by the handler.
   */
  apart(task: (world: MappingWorld) => void): void;
  createDataSource(template: string, params: readonly string[], context?: Entity): void;
  log(level: LogLevel, message: string): void;
}
