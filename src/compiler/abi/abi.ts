import type { Location } from "../source/source.js";
import type { TreePath } from "../source/tree.js";
import { canonicalType, type Parameter } from "./solidity-type.js";

/** A parsed contract interface: only its events and functions, in ABI order. */
export interface Abi {
  readonly events: readonly AbiEvent[];
  readonly functions: readonly AbiFunction[];
}

export interface AbiEvent {
  readonly kind: "event";
  readonly name: string;
  readonly inputs: readonly Parameter[];
  readonly anonymous: boolean;
  /** Index among all entries of the ABI. */
  readonly index: number;
  /** The event that this one replaces under a stand-in name; see `standIn`. */
  readonly standsFor?: StoodFor;
  /** Locates the name in its file, or the value at `path`; computed only when a diagnostic needs it. */
  locate(path?: TreePath): Location;
}

/** An event whose name cannot be a class name in generated code, so its entry has a stand-in name. */
export interface StoodFor {
  readonly event: AbiEvent;
  /** The class name that the original name would yield. */
  readonly className: string;
}

export type Mutability = "view" | "pure" | "nonpayable" | "payable";

export interface AbiFunction {
  readonly kind: "function";
  readonly name: string;
  readonly inputs: readonly Parameter[];
  readonly outputs: readonly Parameter[];
  readonly mutability: Mutability;
  /** Whether the ABI declares no mutability, as ABIs of early compilers do. */
  readonly isMutabilityAssumed?: true;
  readonly index: number;
  locate(path?: TreePath): Location;
}

function list(parameters: readonly Parameter[], withIndexed: boolean): string {
  return parameters
    .map(({ type, indexed }) => (withIndexed && indexed ? "indexed " : "") + canonicalType(type))
    .join(",");
}

/** `Transfer(address,address,uint256)`: the hash input of topics and selectors. */
export function plainSignature(entry: AbiEvent | AbiFunction): string {
  return `${entry.name}(${list(entry.inputs, false)})`;
}

/** `Transfer(indexed address,indexed address,uint256)`: the form a manifest uses. */
export function manifestSignature(event: AbiEvent): string {
  return `${event.name}(${list(event.inputs, true)})`;
}

/** `balanceOf(address):(uint256)`: graph-node's form for a call; without outputs, only the first part. */
export function callSignature(fn: AbiFunction): string {
  const outputs = fn.outputs.length > 0 ? `:(${list(fn.outputs, false)})` : "";
  return plainSignature(fn) + outputs;
}

/**
 * The identity of an entry for graph-node: functions by signature, events by signature and number of indexed
 * parameters.
 */
export function entryIdentity(entry: AbiEvent | AbiFunction): string {
  const signature = `${entry.kind} ${plainSignature(entry)}`;
  if (entry.kind === "function") return signature;
  return `${signature} ${entry.inputs.filter(({ indexed }) => indexed).length} ${entry.anonymous}`;
}
