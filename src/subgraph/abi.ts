import { EventFragment, FunctionFragment } from "ethers";
import { groupBy } from "../base/group-by.js";
import { BuiltSubgraphError } from "./manifest-node.js";

/** Entries of an ABI by kind and name, not looked at yet. */
export interface ParsedAbi {
  readonly name: string;
  readonly events: ReadonlyMap<string, readonly AbiEntry[]>;
  readonly functions: ReadonlyMap<string, readonly AbiEntry[]>;
}

interface AbiEntry {
  readonly type?: unknown;
  readonly name?: unknown;
  stateMutability?: unknown;
  inputs?: unknown;
}

/**
 * @param name of the ABI, for messages
 * @throws BuiltSubgraphError for text that is not a JSON array
 */
export function parseAbi(name: string, text: string): ParsedAbi {
  const entries = parsed(name, text);
  return { name, events: named(entries, "event"), functions: named(entries, "function") };
}

function parsed(name: string, text: string): readonly AbiEntry[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BuiltSubgraphError(`the ABI ${name} is not JSON`, { cause: error });
  }
  if (!Array.isArray(value)) throw new BuiltSubgraphError(`the ABI ${name} is not a JSON array`);
  return value as readonly AbiEntry[];
}

function named(entries: readonly AbiEntry[], type: string): Map<string, AbiEntry[]> {
  // Functions of very old ABIs have no type.
  const ofType = entries.filter((entry) => (entry.type ?? "function") === type);
  return groupBy(
    ofType.filter(({ name }) => typeof name === "string"),
    ({ name }) => String(name),
  );
}

/**
 * The event of a manifest's signature: the one that is the same with `indexed`, else the only one of that name if it
 * is the same without.
 */
export function findEvent(abi: ParsedAbi, signature: string): EventFragment | undefined {
  const candidates = (abi.events.get(nameOf(signature)) ?? []).map((entry) => EventFragment.from(entry));
  const exact = candidates.find((event) => manifestForm(event) === signature);
  if (exact) return exact;
  const [only, ...others] = candidates;
  const same = only?.format("sighash") === signature.replaceAll("indexed ", "");
  return same && others.length === 0 ? only : undefined;
}

/** The function of a signature that changes the chain's state; only such are called by transactions. */
export function findFunction(abi: ParsedAbi, signature: string): FunctionFragment | undefined {
  return (abi.functions.get(nameOf(signature)) ?? [])
    .map((entry) => FunctionFragment.from(withoutDefects(entry)))
    .find((fn) => !fn.constant && fn.format("sighash") === signature);
}

function nameOf(signature: string): string {
  return signature.slice(0, signature.indexOf("("));
}

function manifestForm({ name, inputs }: EventFragment): string {
  const types = inputs.map((input) => `${input.indexed ? "indexed " : ""}${input.format("sighash")}`);
  return `${name}(${types.join(",")})`;
}

/**
 * What compilers have been seen to write and graph-node mends: a mutability that does not exist, which means the
 * ordinary one, and parameters of functions that are indexed.
 */
function withoutDefects(entry: AbiEntry): AbiEntry {
  const { stateMutability, inputs } = entry;
  const mended = { ...entry };
  if (stateMutability === "undefined") mended.stateMutability = "nonpayable";
  if (Array.isArray(inputs))
    mended.inputs = inputs.map((input: object) => ({ ...input, indexed: undefined }));
  return mended;
}
