import type { LocatedString, Location } from "../compiler/source/source.js";
import { member, memberAt, type TreeNode } from "../compiler/source/tree.js";
import { expressionAt } from "./complete.js";
import type { Cursor } from "./cursor.js";
import { nameAround } from "./expressions.js";
import { callNamed, handlerAt } from "./handler-at.js";
import type { ReadConfig } from "./read-config.js";

/** Where the name at a place comes from: an ABI's entry, a parameter, a call, or an ABI. */
export function definitionAt(config: ReadConfig, cursor: Cursor): Location | undefined {
  const { path, kind, text } = cursor;
  const handler = handlerAt(config, path);
  const expression = kind === "value" ? expressionAt(config, path) : undefined;
  if (expression && text) return ofName(expression.handler, nameAround(text.string.value, text.at));
  if (handler && kind === "key" && path.length === 5) return handler.trigger?.locate();
  if (handler && path[5] === "calls" && path.length >= 7 && (kind === "key" || path[7] === "name"))
    return handler.calls.find(({ key }) => key.value === path[6])?.fn?.locate();
  if (kind === "value" && path[0] === "instances" && path.at(-1) === "abi")
    return ofAbi(config, text?.string.value);
  if (path[0] === "abis" && path[1] !== undefined) return config.abis.get(path[1])?.loaded.locateEntry(0);
  return undefined;
}

function ofName(
  { trigger, calls }: NonNullable<ReturnType<typeof handlerAt>>,
  found: ReturnType<typeof nameAround>,
): Location | undefined {
  if (!found) return undefined;
  const [first, second] = found.steps;
  if (first === "calls" && second === undefined) return callNamed(found.name, calls)?.key.at;
  if (!trigger) return undefined;
  if (first === undefined && (found.name === "event" || found.name === "call")) return trigger.locate();
  const list = second === "outputs" ? "outputs" : "inputs";
  const inputs = trigger.kind === "function" && second === "outputs" ? trigger.outputs : trigger.inputs;
  if (second !== "params" && second !== "inputs" && second !== "outputs") return undefined;
  const index = inputs.findIndex(({ name }) => name === found.name);
  return index === -1 ? undefined : trigger.locate([list, index, "name"]);
}

/** The member of `abis`, if the ABI can be read. */
function ofAbi({ tree }: ReadConfig, name: string | undefined): Location | undefined {
  return name === undefined ? undefined : memberAt(tree, ["abis", name])?.at;
}

/** The places of a name, which are renamed together. */
export interface Renaming {
  /** The place at the cursor. */
  readonly at: Location;
  readonly name: string;
  readonly places: readonly Location[];
  /** What new names must match, and what such names are called. */
  readonly pattern: RegExp;
  readonly rule: string;
  /** Names in small letters that others have. */
  readonly taken?: ReadonlySet<string>;
}

/** All places of the call or the entity at a place; `undefined` if there is none. */
export function renamingAt(config: ReadConfig, cursor: Cursor): Renaming | undefined {
  const { path, kind, text } = cursor;
  if (!text) return undefined;
  if (kind === "key" && path.length === 7 && path[5] === "calls")
    return ofCall(config, path, inside(text.string), path[6] ?? "");
  if (kind === "key" && path.length === 7 && path[5] === "entities")
    return ofEntity(config, inside(text.string), path[6] ?? "");
  const expression = kind === "value" ? expressionAt(config, path) : undefined;
  if (!expression) return undefined;
  const found = nameAround(text.string.value, text.at);
  if (found?.steps.join(".") !== "calls") return undefined;
  const name = callNamed(found.name, expression.handler.calls)?.key.value;
  if (name === undefined) return undefined;
  return ofCall(config, path, text.string.part(found.start, found.start + name.length), name);
}

function ofCall(
  config: ReadConfig,
  path: readonly string[],
  at: Location,
  name: string,
): Renaming | undefined {
  const handlerPath = path.slice(0, 5);
  const calls = memberAt(config.tree, [...handlerPath, "calls"]);
  const call = calls && member(calls, name);
  const handler = memberAt(config.tree, handlerPath);
  if (!call || !handler) return undefined;
  const places = [inside(call.key)];
  walk(handler, handlerPath, (node, own) => {
    if (node.kind !== "string") return;
    if (own.at(-2) === "depends_on" && node.value === name) places.push(inside(node));
    if (!expressionAt(config, own)) return;
    for (const match of node.value.matchAll(/\bcalls\s*\.\s*([A-Za-z_$][\w$]*)/g)) {
      const [whole = "", word = ""] = match;
      if (word !== name && word !== `${name}_reverted`) continue;
      const start = (match.index ?? 0) + whole.length - word.length;
      places.push(node.part(start, start + name.length));
    }
  });
  return { at, name, places, pattern: /^[A-Za-z_]\w*$/, rule: "a letter or _, then letters, digits and _" };
}

function ofEntity({ tree }: ReadConfig, at: Location, name: string): Renaming | undefined {
  const places: Location[] = [];
  walk(tree, [], (node, path) => {
    if (path.length !== 6 || path[3] !== "handlers" || path[5] !== "entities") return;
    const entity = member(node, name);
    if (entity) places.push(inside(entity.key));
  });
  return {
    at,
    name,
    places,
    pattern: /^[A-Z][A-Za-z0-9]*$/,
    rule: "an upper-case letter, then letters and digits",
  };
}

/** The place of a text without its quotes. */
function inside(text: LocatedString): Location {
  return text.part(0, text.value.length);
}

function walk(
  node: TreeNode,
  path: readonly string[],
  visit: (node: TreeNode, path: readonly string[]) => void,
): void {
  visit(node, path);
  if (node.kind === "object")
    for (const { key, value } of node.members) walk(value, [...path, key.value], visit);
  if (node.kind === "array")
    for (const [index, item] of node.items.entries()) walk(item, [...path, String(index)], visit);
}
