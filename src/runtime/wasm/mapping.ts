import type { Entity } from "../../subgraph/schema/entity.js";
import type { ContractCall, EthereumValue, LogLevel, Trigger } from "../values.js";

/**
 * A compiled module of mappings. As in graph-node, every run begins with what the module begins with: no global
 * outlives a run.
 */
export interface Mapping {
  /** Names of exported functions. */
  readonly exports: ReadonlySet<string>;
  /**
   * Runs a handler.
   * @throws Fault when the world has no answer yet: fetch it and run the handler again
   * @throws DeterministicError for traps, `abort`, a critical log and other deterministic failures
   */
  run(handler: string, trigger: Trigger, world: MappingWorld): void;
}

/**
 * The world as host functions see it. All methods are synchronous: what has to be fetched first throws a
 * `Fault`.
 */
export interface MappingWorld {
  /** Address of the data source whose handler runs. */
  readonly address: string;
  readonly network: string;
  readonly context: Entity;
  get(type: string, id: string): Entity | undefined;
  getInBlock(type: string, id: string): Entity | undefined;
  related(type: string, id: string, field: string): readonly Entity[];
  set(type: string, id: string, data: Entity): void;
  remove(type: string, id: string): void;
  /** The outputs of a call; `undefined` when it reverts. */
  call(call: ContractCall): readonly EthereumValue[] | undefined;
  balance(address: string): bigint;
  hasCode(address: string): boolean;
  /** The content of a file of IPFS; nothing when it cannot be had. */
  file(path: string): Uint8Array | undefined;
  /** The same of one without which the handler cannot go on. */
  neededFile(path: string): Uint8Array;
  /** The name of ENS with a hash; null when there is none. */
  ensName(hash: string): string | null;
  /**
   * Does something that sees entities as they were before the block, and nothing that was written since; what it writes
   * counts as written by the handler.
   */
  apart(task: (world: MappingWorld) => void): void;
  createDataSource(template: string, params: readonly string[], context?: Entity): void;
  log(level: LogLevel, message: string): void;
}
