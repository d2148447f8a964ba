import { quote } from "../../../base/text/quote.js";
import type { Edit } from "../../diagnostics/diagnostic.js";
import { type Member, member as memberOf, type TreeNode } from "../../source/tree.js";
import { type Home, hasSetting, homes, homesWith } from "../homes.js";
import { meantInside, type WordContext } from "./other-words.js";
import type { IndexedValue } from "./tree-index.js";

/** A setting in the wrong object. */
export interface Misplaced {
  readonly label: string;
  readonly hint: string;
  /** The missing enclosing setting, if there is no other mistake. */
  readonly under?: { readonly key: string; readonly isCertain: boolean };
}

/** Finds the right place for a key that is not a setting of its object. */
export function misplacedIn(
  home: Home | undefined,
  member: Member,
  place: IndexedValue,
  context: WordContext,
): Misplaced | undefined {
  if (!home) return undefined;
  const name = member.key.value;
  if (home.path === "#/$defs/enrich") {
    if (homesWith(name).some(({ path }) => path === "#/$defs/handler")) return intoHandler(name, place);
    if (isHandler(member)) return around("handlers", name, 'signatures belong under "handlers"', place);
  }
  if (home.path === "#/$defs/entityItem" && isField(member))
    return around("mapping", name, 'fields belong under "mapping"', place);
  if (home.path === "#/$defs/handler") {
    if (isEntity(member)) return around("entities", name, 'entities belong under "entities"', place);
    if (isCall(member)) return around("calls", name, 'calls belong under "calls"', place);
  }
  const inner = homesWith(name).find((one) => one.within?.home === home.path);
  if (inner?.within) return around(inner.within.key, name, `a setting of ${inner.name}`, place);
  if (home.path === "#/$defs/enrich" && member.value.kind === "object" && homesWith(name).length === 0)
    return around("handlers", name, 'event handlers belong under "handlers"', place, false);
  const word = meantInside(name, member.value, home.path, context);
  if (word) {
    const { name: where } = homes.find(({ path }) => path === word.home) ?? home;
    return { label: `a setting of ${where}`, hint: `move it into ${where}, as ${quote(word.meant)}` };
  }
  const [only, ...others] = homesWith(name);
  if (!only || others.length > 0) return undefined;
  return { label: `a setting of ${only.name}`, hint: `move it into ${only.name}` };
}

/** The edit that wraps an object around members; `undefined` if they are not adjacent. */
export function nestOf(node: TreeNode, keys: readonly string[], under: string): Edit | undefined {
  if (node.kind !== "object") return undefined;
  const moved = new Set(keys);
  const first = node.members.findIndex(({ key }) => moved.has(key.value));
  const isRun = node.members.slice(first, first + moved.size).every(({ key }) => moved.has(key.value));
  return isRun ? { kind: "nest", at: node.at, keys, under } : undefined;
}

/** A member without a required enclosing setting. */
function around(
  key: string,
  name: string,
  label: string,
  { members }: IndexedValue,
  isCertain = true,
): Misplaced {
  if (members.has(key)) return { label, hint: `move it into ${quote(key)}` };
  return { label, hint: `write ${quote(key)}: { ${quote(name)}: … }`, under: { key, isCertain } };
}

/** A setting of a single event, written beside the events. */
function intoHandler(name: string, { members }: IndexedValue): Misplaced {
  const label = "a setting of a handler";
  const handler = `"<signature>": { ${quote(name)}: … }`;
  return members.has("handlers")
    ? { label, hint: `move it into "handlers": { ${handler} }` }
    : { label, hint: `write "handlers": { ${handler} }` };
}

/** Whether a member of an item is one of its fields: a name and a type, and an expression. */
function isField({ key, value }: Member): boolean {
  return value.kind === "string" && /^\s*[_A-Za-z]\w*\s+[a-z(]/.test(key.value);
}

/** Whether a member of an enrichment is a handler: by its key (a signature) or its content. */
function isHandler({ key, value }: Member): boolean {
  if (value.kind !== "object") return false;
  if (/^\s*[A-Za-z_$][\w$]*\s*\(/.test(key.value)) return true;
  return value.members.some((inner) => inner.key.value === "calls" || inner.key.value === "entities");
}

/** Whether a member of a handler is an entity: typed fields, or a list of mappings. */
function isEntity({ value }: Member): boolean {
  const isField = ({ key }: Member): boolean => /^\s*[_A-Za-z]\w*\s+\S/.test(key.value);
  if (value.kind === "object") return value.members.length > 0 && value.members.every(isField);
  return value.kind === "array" && value.items.some((item) => memberOf(item, "mapping") !== undefined);
}

/** Whether a member of a handler is a call: it has a name, and only settings of a call. */
function isCall({ value }: Member): boolean {
  const call = homes.find(({ path }) => path === "#/$defs/call");
  if (value.kind !== "object" || !call || !memberOf(value, "name")) return false;
  return value.members.every(({ key }) => hasSetting(call, key.value));
}
