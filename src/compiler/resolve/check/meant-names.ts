import { nearName } from "../../diagnostics/correct-name.js";
import type { HandlerTrigger } from "../../model/handler.js";
import { graphTsNames } from "../../syntax/graph-ts-names.js";
import { callNamed, type ExpressionScope } from "../expression-scope.js";

/** What the names at the start of a path certainly mean. */
export interface Meant {
  /** The number of names to replace. */
  readonly count: number;
  readonly text: string;
  /** The reason, in a few words. */
  readonly label: string;
}

/** The names that other tools and Solidity use for the parameters of an event or the inputs of a call. */
const parameterWords = new Set(
  "params param parameters args arg arguments inputs input returnValues values data topics".split(" "),
);

/** AssemblyScript objects with members that may have the names of parameters. */
const languageNames = new Set("memory heap table atomics console process performance".split(" "));

/** Members of the event or call, by their names in other tools and Solidity. */
const paths: ReadonlyMap<string, string> = new Map([
  ["block", "block"],
  ["transaction", "transaction"],
  ["tx", "transaction"],
  ["tx.origin", "transaction.from"],
  ["tx.gasprice", "transaction.gasPrice"],
  ["msg.value", "transaction.value"],
  ["msg.data", "transaction.input"],
  ["block.coinbase", "block.author"],
  ["blockNumber", "block.number"],
  ["blockHash", "block.hash"],
  ["timestamp", "block.timestamp"],
  ["blockTimestamp", "block.timestamp"],
  ["transactionHash", "transaction.hash"],
  ["txHash", "transaction.hash"],
]);

/** The objects that hold a trigger's parameters: `event.params`, `call.inputs`. */
interface Parameters {
  readonly of: string;
  readonly names: readonly string[];
}

/** The lists of a trigger's parameters, by the member that contains them. */
export function parameterLists(trigger: HandlerTrigger): ReadonlyMap<string, readonly string[]> {
  if (trigger.kind === "event") return new Map([["params", trigger.bound.params.map(({ name }) => name)]]);
  return new Map([
    ["inputs", trigger.bound.inputs.map(({ name }) => name)],
    ["outputs", trigger.bound.outputs.map(({ name }) => name)],
  ]);
}

/**
 * The meaning of a path whose first name is unknown in expressions.
 * @param argumentCount the number of arguments, if the path is called like a function
 */
export function meantByPath(
  names: readonly string[],
  argumentCount: number | undefined,
  scope: ExpressionScope,
): Meant | undefined {
  const [root = "", second = ""] = names;
  if (root === "entity" || graphTsNames.has(root) || languageNames.has(root)) return undefined;
  const { trigger } = scope;
  const isFunction = names.length === 1 && argumentCount !== undefined;
  const call =
    argumentCount === undefined || (isFunction && argumentCount === 0) ? meantCall(root, scope) : undefined;
  const parameter = isFunction ? undefined : parameterOf(names, 0, trigger);
  // If two things have the name, the meaning is unknown.
  if (call && parameter) return undefined;
  return (
    call ??
    ofTransaction([root, second], trigger) ??
    (parameterWords.has(root) ? parameterOf(names, 1, trigger) : undefined) ??
    ofBlock(names, trigger) ??
    parameter ??
    alone(root, trigger)
  );
}

/** The meaning of a path that starts with `event` or `call`, whatever the kind of trigger. */
export function meantOfTrigger(names: readonly string[], { trigger }: ExpressionScope): Meant | undefined {
  const [, member = ""] = names;
  const named = parameterWords.has(member) ? parameterOf(names, 2, trigger) : undefined;
  return named ?? parameterOf(names, 1, trigger) ?? shortcut(names, 1, trigger);
}

/** The parameter that the name at an index refers to. The fix replaces all names up to it. */
function parameterOf(names: readonly string[], index: number, trigger: HandlerTrigger): Meant | undefined {
  const written = names[index];
  if (written === undefined) return undefined;
  for (const list of listsOf(trigger)) {
    const isNamed = index > 0 && parameterWords.has(names[index - 1] ?? "");
    const near = isNamed ? nearName(written, list.names) : undefined;
    const name = list.names.includes(written) ? written : near?.certain ? near.name : undefined;
    if (name === undefined) continue;
    const text = `${list.of}.${name}`;
    return { count: index + 1, text, label: `${nounOf(list)} of this ${kindOf(trigger)}` };
  }
  return undefined;
}

function listsOf(trigger: HandlerTrigger): readonly Parameters[] {
  return [...parameterLists(trigger)].map(([member, names]) => ({ of: `${trigger.kind}.${member}`, names }));
}

function nounOf({ of }: Parameters): string {
  return of.endsWith("outputs") ? "an output" : "a parameter";
}

function kindOf({ kind }: HandlerTrigger): string {
  return kind === "event" ? "event" : "function";
}

/** `msg.sender` and the like. An event has no caller, and the sender of the transaction may not be the caller. */
function ofTransaction(
  [root, second]: readonly [string, string],
  trigger: HandlerTrigger,
): Meant | undefined {
  if (root !== "msg") return undefined;
  if (second !== "sender") return shortcut([root, second], 0, trigger);
  return trigger.kind === "call"
    ? { count: 2, text: "call.from", label: "the caller of the function" }
    : {
        count: 2,
        text: "event.transaction.from",
        label: "an event gives only the sender of the transaction",
      };
}

/** A member of the block or the transaction that is read from a parameter with that name. */
function ofBlock(names: readonly string[], trigger: HandlerTrigger): Meant | undefined {
  const isMember = /^(?:number|timestamp|hash|from|to|value|gas\w*|origin|coinbase|difficulty)$/i;
  return isMember.test(names[1] ?? "") ? shortcut(names, 0, trigger) : undefined;
}

/** A whole list of parameters. */
function alone(root: string, trigger: HandlerTrigger): Meant | undefined {
  const [list] = listsOf(trigger);
  if (list && (root === "params" || root === "args" || root === "inputs"))
    return { count: 1, text: list.of, label: `a member of the ${trigger.kind}` };
  return shortcut([root], 0, trigger);
}

/** A read of the block or the transaction, with one name or two. */
function shortcut(names: readonly string[], index: number, trigger: HandlerTrigger): Meant | undefined {
  const [first = "", second = ""] = names.slice(index);
  for (const [name, count] of [[`${first}.${second}`, 2] as const, [first, 1] as const]) {
    const path = paths.get(name);
    if (path === undefined || (index > 0 && path === name)) continue;
    const text = `${trigger.kind}.${path}`;
    return { count: index + count, text, label: `a member of the ${trigger.kind}` };
  }
  return undefined;
}

/** A call of this handler, by its name or by its function's name. */
function meantCall(name: string, { calls }: ExpressionScope): Meant | undefined {
  const call = callNamed(name, calls);
  return call && { count: 1, text: `calls.${call.ref}`, label: "a call of this handler" };
}
