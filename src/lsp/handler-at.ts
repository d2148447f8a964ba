import type { AbiEvent, AbiFunction } from "../compiler/abi/abi.js";
import { matchSignature } from "../compiler/abi/match-signature.js";
import { findCall } from "../compiler/resolve/expression-scope.js";
import type { LocatedString } from "../compiler/source/source.js";
import { member, memberAt, type ObjectNode, type TreeNode } from "../compiler/source/tree.js";
import type { ReadAbi, ReadConfig } from "./read-config.js";

/** A call of a handler. */
export interface CallAt {
  /** Its name in expressions. */
  readonly key: LocatedString;
  readonly value: TreeNode;
  /** The name of its ABI. */
  readonly abi: string | undefined;
  /** The function that it calls, if that is known. */
  readonly fn?: AbiFunction | undefined;
}

/** The handler around a place. */
export interface HandlerAt {
  readonly node: ObjectNode;
  /** The event or the function that triggers it, if that is known. */
  readonly trigger?: AbiEvent | AbiFunction | undefined;
  /** The ABI of the instance. */
  readonly abi?: ReadAbi | undefined;
  /** In the order in which they are made. */
  readonly calls: readonly CallAt[];
}

/** The name of the ABI of the instance that a path leads into. */
export function abiNameAt({ tree }: ReadConfig, path: readonly string[]): string | undefined {
  if (path[0] !== "instances" || path[1] === undefined) return undefined;
  const name = memberAt(tree, [...path.slice(0, 2), "abi"]);
  return name?.kind === "string" ? name.value : undefined;
}

/** The handler that a path leads into. */
export function handlerAt(config: ReadConfig, path: readonly string[]): HandlerAt | undefined {
  const [, , enrich, handlers, signature] = path;
  if (enrich !== "enrich" || handlers !== "handlers" || signature === undefined) return undefined;
  const node = memberAt(config.tree, path.slice(0, 5));
  const name = abiNameAt(config, path);
  const abi = name === undefined ? undefined : config.abis.get(name);
  if (node?.kind !== "object") return undefined;
  return {
    node,
    abi,
    trigger: abi && entryNamed(signature, [...abi.abi.events, ...abi.abi.functions]),
    calls: callsOf(config, node, name),
  };
}

function callsOf(
  config: ReadConfig,
  handler: ObjectNode,
  instanceAbi: string | undefined,
): readonly CallAt[] {
  const calls = member(handler, "calls")?.value;
  if (calls?.kind !== "object") return [];
  return calls.members.map(({ key, value }) => {
    const abi = textAt(value, "abi") ?? instanceAbi;
    const name = textAt(value, "name");
    const functions = abi === undefined ? [] : (config.abis.get(abi)?.abi.functions ?? []);
    return { key, value, abi, fn: name === undefined ? undefined : entryNamed(name, functions) };
  });
}

/** The call that `calls.<name>` reads, whose name may end in `_reverted`. */
export function callNamed(name: string, calls: readonly CallAt[]): CallAt | undefined {
  return findCall(
    name,
    calls.map((call) => ({ ref: call.key.value, call })),
  )?.call;
}

/** The text of a member. */
export function textAt(node: TreeNode, key: string): string | undefined {
  const value = member(node, key)?.value;
  return value?.kind === "string" ? value.value : undefined;
}

/** The entry that a signature or a name stands for; of several, the first. */
export function entryNamed<Entry extends AbiEvent | AbiFunction>(
  signature: string,
  entries: readonly Entry[],
): Entry | undefined {
  const match = matchSignature(signature, entries);
  if (match.kind === "match") return match.entry;
  return match.kind === "ambiguous" || match.kind === "indexed-differs" ? match.entries[0] : undefined;
}
