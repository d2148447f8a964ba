import { assemblyText, assemblyType } from "../compiler/abi/assembly-type.js";
import {
  abiTypeText,
  elementType,
  isHashedWhenIndexed,
  type Parameter,
} from "../compiler/abi/solidity-type.js";
import { graphTsNames } from "../compiler/syntax/graph-ts-names.js";
import type { CallAt, HandlerAt } from "./handler-at.js";

/** Something that an expression can name. */
export interface Name {
  readonly name: string;
  /** Its type, or what it is. */
  readonly detail: string;
  readonly kind: "field" | "variable" | "function" | "class";
  /** Longer text about it. */
  readonly about?: string | undefined;
}

/** Where an expression stands. */
export interface ExpressionPlace {
  readonly handler: HandlerAt;
  /** The name of the call to which it belongs; missing in entities. */
  readonly call?: string | undefined;
  readonly hasResult: boolean;
}

const addressOf = { detail: "Address", kind: "field" } as const;

const blockFields: readonly Name[] = [
  ["number", "BigInt", "The number of the block."],
  ["timestamp", "BigInt", "The time of the block, in seconds since 1970."],
  ["hash", "Bytes", "The hash of the block."],
  ["parentHash", "Bytes", "The hash of the block before."],
  ["author", "Address", "Who made the block."],
  ["baseFeePerGas", "BigInt | null", "The base fee, in wei; null before EIP-1559."],
  ["gasUsed", "BigInt", "The gas of all transactions."],
  ["gasLimit", "BigInt", "The most gas that the block may use."],
  ["difficulty", "BigInt", "The difficulty of the block."],
  ["totalDifficulty", "BigInt", "The difficulty of all blocks up to this one."],
  ["size", "BigInt | null", "The size in bytes."],
  ["stateRoot", "Bytes", "The root of the state."],
  ["transactionsRoot", "Bytes", "The root of the transactions."],
  ["receiptsRoot", "Bytes", "The root of the receipts."],
  ["unclesHash", "Bytes", "The hash of the uncles."],
].map(field);

const transactionFields: readonly Name[] = [
  ["hash", "Bytes", "The hash of the transaction."],
  ["index", "BigInt", "Its place in the block."],
  ["from", "Address", "Who sent it."],
  ["to", "Address | null", "The address that it was sent to; null if it creates a contract."],
  ["value", "BigInt", "The amount that it sends, in wei."],
  ["gasLimit", "BigInt", "The most gas that it may use."],
  ["gasPrice", "BigInt", "The price of its gas, in wei."],
  ["input", "Bytes", "Its data."],
  ["nonce", "BigInt", "How many transactions the sender had sent before."],
].map(field);

function field([name = "", detail = "", about = ""]: readonly string[]): Name {
  return { name, detail, kind: "field", about };
}

const block: Name = { name: "block", detail: "ethereum.Block", kind: "field", about: "The block." };
const transaction: Name = {
  name: "transaction",
  detail: "ethereum.Transaction",
  kind: "field",
  about: "The transaction.",
};

/**
 * What can follow the part of an expression before the cursor.
 * @param before the decoded text up to the cursor
 */
export function namesAfter(before: string, place: ExpressionPlace): readonly Name[] {
  // Of a text inside of the expression there is nothing to complete.
  if (isInText(before)) return [];
  const [, chain = ""] = /((?:[A-Za-z_$][\w$]*[!?]?\.)*)[\w$]*$/.exec(before) ?? [];
  const steps = chain.replaceAll(/[!?]/g, "").split(".").slice(0, -1);
  return membersOf(steps, place);
}

/** The name whose place in an expression is at an offset, with the names before it; `undefined` if there is none. */
export function nameAround(
  text: string,
  at: number,
): { readonly steps: readonly string[]; readonly name: string; readonly start: number } | undefined {
  if (isInText(text.slice(0, at))) return undefined;
  const before = /(?:[A-Za-z_$][\w$]*[!?]?\.)*[\w$]*$/.exec(text.slice(0, at))?.[0] ?? "";
  const after = /^[\w$]*/.exec(text.slice(at))?.[0] ?? "";
  const steps = `${before}${after}`.replaceAll(/[!?]/g, "").split(".");
  const name = steps.pop() ?? "";
  return name === "" ? undefined : { steps, name, start: at + after.length - name.length };
}

/** Whether a part of an expression ends inside quotes. */
function isInText(before: string): boolean {
  const bare = before.replaceAll(/\\./g, "").replaceAll(/"[^"]*"|'[^']*'/g, "");
  return /["']/.test(bare);
}

/** The members of what some names lead to: `["event", "params"]`; without names, what is in scope. */
export function membersOf(steps: readonly string[], place: ExpressionPlace): readonly Name[] {
  const [first, second, ...more] = steps;
  const { trigger, calls } = place.handler;
  if (first === undefined) return inScope(place);
  if (first === "calls")
    return second === undefined ? calls.flatMap(callNames) : more.length > 0 ? [] : resultOf(second, calls);
  if (first !== "event" && first !== "call") return [];
  if (second === undefined) return first === "event" ? eventFields : callFields;
  if (more.length > 0) return [];
  if (second === "block") return blockFields;
  if (second === "transaction") return transactionFields;
  if (second === "params" && trigger?.kind === "event") return parameters(trigger.inputs, "param");
  if (trigger?.kind !== "function") return [];
  if (second === "inputs") return parameters(trigger.inputs, "value");
  return second === "outputs" ? parameters(trigger.outputs, "value") : [];
}

const eventFields: readonly Name[] = [
  { name: "params", detail: "the parameters", kind: "field", about: "The parameters of the event." },
  { name: "address", ...addressOf, about: "The contract that emitted the event." },
  block,
  transaction,
  { name: "logIndex", detail: "BigInt", kind: "field", about: "The place of the log in its block." },
  {
    name: "receipt",
    detail: "ethereum.TransactionReceipt | null",
    kind: "field",
    about: "The receipt of the transaction.",
  },
];

const callFields: readonly Name[] = [
  { name: "inputs", detail: "the arguments", kind: "field", about: "The arguments of the call." },
  { name: "outputs", detail: "the results", kind: "field", about: "The results of the call." },
  { name: "from", ...addressOf, about: "Who made the call." },
  { name: "to", ...addressOf, about: "The contract that was called." },
  block,
  transaction,
];

function inScope({ handler: { trigger, calls }, call, hasResult }: ExpressionPlace): readonly Name[] {
  const source: Name =
    trigger?.kind === "function"
      ? { name: "call", detail: trigger.name, kind: "variable", about: "The call of the function." }
      : { name: "event", detail: trigger?.name ?? "the event", kind: "variable", about: "The event." };
  return [
    source,
    ...(calls.length > 0
      ? [{ name: "calls", detail: "the results of the calls", kind: "variable" } as const]
      : []),
    ...(call === undefined ? [{ name: "entity", detail: "the entity", kind: "variable" } as const] : []),
    ...(hasResult ? [{ name: "result", detail: "the result of the call", kind: "variable" } as const] : []),
    ...[...graphTsNames].map((name) => ({ name, detail: "graph-ts", kind: "class" }) as const),
  ];
}

/** The result of a call, and whether it has reverted. */
function callNames({ key, fn }: CallAt): readonly Name[] {
  const result = fn && resultText(fn.outputs);
  return [
    {
      name: key.value,
      detail: result ?? "the result",
      kind: "field",
      about: fn && `The result of ${fn.name}; null if it has reverted.`,
    },
    { name: `${key.value}_reverted`, detail: "bool", kind: "field", about: "Whether the call has reverted." },
  ];
}

function resultText(outputs: readonly Parameter[]): string {
  const [only, ...others] = outputs;
  return only && others.length === 0 ? typeText(only) : "an object with a method for each output";
}

/** The methods of a result with several outputs. */
function resultOf(name: string, calls: readonly CallAt[]): readonly Name[] {
  const outputs = calls.find(({ key }) => key.value === name)?.fn?.outputs ?? [];
  if (outputs.length < 2) return [];
  return parameters(outputs, "value").map(({ name: output, detail }) => ({
    name: output.startsWith("value") ? output : `get${output.charAt(0).toUpperCase()}${output.slice(1)}()`,
    detail,
    kind: "function",
  }));
}

/** @param fallback the beginning of the names of unnamed ones */
function parameters(list: readonly Parameter[], fallback: string): readonly Name[] {
  return list.map((parameter, index) => ({
    name: parameter.name === "" ? `${fallback}${index}` : parameter.name,
    detail: typeText(parameter),
    kind: "field",
    about: `${parameter.indexed ? "indexed " : ""}${abiTypeText(parameter.type)}`,
  }));
}

function typeText({ type, indexed }: Parameter): string {
  if (indexed && isHashedWhenIndexed(type)) return "Bytes";
  const element = elementType(type);
  return element.kind === "unsupported" ? element.text : assemblyText(assemblyType(type, "struct"));
}
