import type { Entity } from "../subgraph/schema/entity.js";
import type { Block, CallTrace, Log, Receipt, Transaction } from "./chain/chain.js";

/** What a handler receives. */
export type Trigger = EventTrigger | CallTrigger | BlockTrigger | FileTrigger | EntityTrigger;

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

export interface BlockTrigger {
  readonly kind: "block";
  readonly block: Block;
}

/** Another subgraph has written an entity. */
export interface EntityTrigger {
  readonly kind: "entity";
  readonly entity: Entity;
}

export interface FileTrigger {
  readonly kind: "file";
  readonly content: Uint8Array;
}

/** A decoded parameter. The name is empty when the ABI has none. */
export interface DecodedParameter {
  readonly name: string;
  readonly value: EthereumValue;
}

/** An `ethereum.Value`. Addresses and bytes are lower-case hex strings. */
export type EthereumValue =
  | { readonly kind: "address" | "fixedBytes" | "bytes" | "string" | "function"; readonly value: string }
  | { readonly kind: "int" | "uint"; readonly value: bigint }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "fixedArray" | "array" | "tuple"; readonly value: readonly EthereumValue[] };

/** A contract call by a mapping, not validated. */
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
