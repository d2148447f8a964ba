import type { Location } from "../source/source.js";
import type { TreePath } from "../source/tree.js";
import { canonicalType, type Parameter } from "./solidity-type.js";

/** A contract interface as read: only events and functions matter to us. Entries keep the ABI's order. */
export interface Abi {
  readonly events: readonly AbiEvent[];
  readonly functions: readonly AbiFunction[];
}

export interface AbiEvent {
  readonly kind: "event";
  readonly name: string;
  readonly inputs: readonly Parameter[];
  readonly anonymous: boolean;
  /** Position among the entries of the ABI. */
  readonly index: number;
  /** What it is, where the name is not the event's own; see `standIn`. */
  readonly standsFor?: StoodFor;
  /** Where its name stands in its file, or the value that `path` leads to; worked out only when a diagnostic needs it. */
  locate(path?: TreePath): Location;
}

/** An event of which generated code cannot have a class of its own name, so that its entry has another. */
export interface StoodFor {
  /** As the contract has it. */
  readonly event: AbiEvent;
  /** The class it would have. */
  readonly className: string;
}

export type Mutability = "view" | "pure" | "nonpayable" | "payable";

export interface AbiFunction {
  readonly kind: "function";
  readonly name: string;
  readonly inputs: readonly Parameter[];
  readonly outputs: readonly Parameter[];
  readonly mutability: Mutability;
  /** Whether the ABI does not say so: those of early compilers need not. */
  readonly isMutabilityAssumed?: true;
  readonly index: number;
  locate(path?: TreePath): Location;
}

function list(parameters: readonly Parameter[], withIndexed: boolean): string {
  return parameters
    .map(({ type, indexed }) => (withIndexed && indexed ? "indexed " : "") + canonicalType(type))
    .join(",");
}

/** `Transfer(address,address,uint256)`: what the topic and the selector are the hash of. */
export function plainSignature(entry: AbiEvent | AbiFunction): string {
  return `${entry.name}(${list(entry.inputs, false)})`;
}

/** `Transfer(indexed address,indexed address,uint256)`: the form a manifest uses. */
export function manifestSignature(event: AbiEvent): string {
  return `${event.name}(${list(event.inputs, true)})`;
}

/** `balanceOf(address):(uint256)`: the form graph-node wants for a call; no outputs, no second part. */
export function callSignature(fn: AbiFunction): string {
  const outputs = fn.outputs.length > 0 ? `:(${list(fn.outputs, false)})` : "";
  return plainSignature(fn) + outputs;
}

/**
 * Equal for entries that graph-node cannot tell apart: functions of one signature, events of one signature with as many
 * indexed parameters.
 */
export function identityOf(entry: AbiEvent | AbiFunction): string {
  const signature = `${entry.kind} ${plainSignature(entry)}`;
  if (entry.kind === "function") return signature;
  return `${signature} ${entry.inputs.filter(({ indexed }) => indexed).length} ${entry.anonymous}`;
}
