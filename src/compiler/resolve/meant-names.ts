import { nearName } from "../diagnostics/correct-name.js";
import type { HandlerTrigger } from "../model/handler.js";
import { graphTsNames } from "../syntax/graph-ts-names.js";
import { callNamed, type ExpressionScope } from "./expression-scope.js";

/** What the names at the beginning of a path certainly stand for. */
export interface Meant {
  /** How many of the names are to be replaced. */
  readonly count: number;
  /** What is to be written in their place. */
  readonly text: string;
  /** Why, in a few words. */
  readonly label: string;
}

/** What other tools and Solidity call the parameters of an event or the inputs of a call. */
const parameterWords = new Set(
  "params param parameters args arg arguments inputs input returnValues values data topics".split(" "),
);

/** What AssemblyScript has members of under names that parameters may have as well. */
const languageNames = new Set("memory heap table atomics console process performance".split(" "));

/** By the names that other tools and Solidity have for it, what is read of the event or call. */
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

/** What a trigger's parameters are read of: `event.params`, `call.inputs`. */
interface Parameters {
  readonly of: string;
  readonly names: readonly string[];
}

/** The lists of a trigger's parameters, by the member that holds them. */
export function parameterLists(trigger: HandlerTrigger): ReadonlyMap<string, readonly string[]> {
  if (trigger.kind === "event") return new Map([["params", trigger.bound.params.map(({ name }) => name)]]);
  return new Map([
    ["inputs", trigger.bound.inputs.map(({ name }) => name)],
    ["outputs", trigger.bound.outputs.map(({ name }) => name)],
  ]);
}

/**
 * What a path stands for whose first name is none that expressions can see.
 * @param argumentCount how many arguments the path is called with, if it is called as functions are
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
  // Of two things that have the name, nobody knows which is meant.
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

/** What a path stands for that begins with the trigger, or with what triggers of the other kind are called. */
export function meantOfTrigger(names: readonly string[], { trigger }: ExpressionScope): Meant | undefined {
  const [, member = ""] = names;
  const named = parameterWords.has(member) ? parameterOf(names, 2, trigger) : undefined;
  return named ?? parameterOf(names, 1, trigger) ?? shortcut(names, 1, trigger);
}

/** The parameter that the name at an index is: the names up to it are replaced. */
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

/** `msg.sender` and the like: who sent a transaction is not who called a contract, where there is only an event. */
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

/** A member of the block or the transaction, which a parameter of that name does not have. */
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

/** What is read of the block or the transaction, by one name or by two. */
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

/** A call of this handler, by its name or by that of its function. */
function meantCall(name: string, { calls }: ExpressionScope): Meant | undefined {
  const call = callNamed(name, calls);
  return call && { count: 1, text: `calls.${call.ref}`, label: "a call of this handler" };
}
