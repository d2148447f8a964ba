import type { Entity } from "../../subgraph/schema/entity.js";
import type { ContractCall, EthereumValue, LogLevel, Trigger } from "../values.js";

/**
 * A compiled mapping module. As in graph-node, every run starts from the module's initial state: no global outlives a
 * run.
 */
export interface Mapping {
  /** Names of exported functions. */
  readonly exports: ReadonlySet<string>;
  /**
   * Runs a handler.
   * @throws Fault when the world has no answer yet: call its `fetch`, then run the handler again
   * @throws DeterministicError for traps, `abort`, a critical log and other deterministic failures
   */
  run(handler: string, trigger: Trigger, world: MappingWorld): void;
}

/**
 * The world as host functions see it. All methods are synchronous: a method whose data must be fetched first throws a
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
  /** The outputs of a call; `undefined` when the call reverts. */
  call(call: ContractCall): readonly EthereumValue[] | undefined;
  balance(address: string): bigint;
  hasCode(address: string): boolean;
  /** The content of an IPFS file; `undefined` when it is unavailable. */
  file(path: string): Uint8Array | undefined;
  /** The bytes of an IPFS block; `undefined` when it is unavailable. */
  ipfsBlock(path: string): Uint8Array | undefined;
  /** The content of an IPFS file that the handler needs to continue. */
  neededFile(path: string): Uint8Array;
  /** The ENS name with a hash; `null` when the hash has no name. */
  ensName(hash: string): string | null;
  /**
   * Runs a task that sees entities as they were before the block, without anything written since. Its writes count as
   * writes of the handler.
   */
  apart(task: (world: MappingWorld) => void): void;
  createDataSource(template: string, params: readonly string[], context?: Entity): void;
  log(level: LogLevel, message: string): void;
}
