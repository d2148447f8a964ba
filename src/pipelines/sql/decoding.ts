import { EventFragment, Fragment, FunctionFragment, Interface } from "ethers/abi";
import { id } from "ethers/hash";
import { LRUCache } from "lru-cache";
import { keccak256 } from "../../base/keccak.js";
import { eventParameters, valueText } from "../../datasets/rows/event-parameters.js";
import { decodeValues } from "../../runtime/abi/decode-values.js";
import type { SqlFunction } from "./sql-function.js";

/** ABIs that were read, by their text. A query has few. */
const abis = new LRUCache<string, Interface>({ max: 64 });

/** Functions that read what contracts wrote. */
export const decodingFunctions: readonly SqlFunction[] = [
  {
    name: "evm_log_decode",
    parameters: ["text", "text", "text"],
    result: "decoded_log",
    compute: ([abi, topics, data]) => decodeLog(abi as string, topics as string, data as string),
  },
  {
    name: "evm_tx_decode",
    parameters: ["text", "text", "text"],
    result: "decoded_call",
    compute: ([abi, input, output]) => decodeCall(abi as string, input as string, output as string),
  },
  {
    name: "keccak256",
    parameters: ["text"],
    result: "text",
    // Hex becomes bytes; anything else is text.
    compute: ([text]) => (isHex(text as string) ? keccak256(text as string) : id(text as string)),
  },
];

/** The name and parameters of the event in a log; null if the ABI lacks the event. */
function decodeLog(
  abi: string,
  topics: string,
  data: string,
): Record<string, string | readonly string[]> | null {
  const list = topics.split(",").map((topic) => topic.trim());
  const [first = ""] = list;
  for (const fragment of interfaceOf(abi).fragments) {
    if (!EventFragment.isFragment(fragment) || fragment.anonymous || fragment.topicHash !== first) continue;
    const parameters = eventParameters(fragment, { topics: list, data });
    // Older definitions read the name as `event_signature`.
    if (parameters) return { name: fragment.name, event_signature: fragment.name, event_params: parameters };
  }
  return null;
}

/** The name, inputs and outputs of the function that a transaction calls; null if the ABI lacks the function. */
function decodeCall(
  abi: string,
  input: string,
  output: string,
): Record<string, string | readonly string[] | null> | null {
  const selector = input.slice(0, 10).toLowerCase();
  for (const fragment of interfaceOf(abi).fragments) {
    if (!FunctionFragment.isFragment(fragment) || fragment.selector !== selector) continue;
    const inputs = textsOf(fragment.inputs, `0x${input.slice(10)}`);
    if (!inputs) continue;
    return {
      function: fragment.name,
      decoded_inputs: inputs,
      decoded_outputs: textsOf(fragment.outputs, output) ?? [],
    };
  }
  return null;
}

function textsOf(types: FunctionFragment["inputs"], data: string): readonly string[] | undefined {
  try {
    return decodeValues(types, data).map(valueText);
  } catch {
    // The data belongs to another function with the same selector, or the contract truncated it.
    return undefined;
  }
}

/** @throws Error if the text is not an ABI */
function interfaceOf(text: string): Interface {
  const known = abis.get(text) ?? readAbi(text);
  if (!known) throw new Error(unreadable(text));
  abis.set(text, known);
  return known;
}

/** The entries of an ABI, as in JSON. @throws Error if the text is not an ABI */
export function abiEntries(text: string): readonly object[] {
  return JSON.parse(interfaceOf(text).formatJson()) as readonly object[];
}

/** Why a text is not an ABI that the functions can read; `undefined` if it is one. */
export function abiFault(text: string): string | undefined {
  return readAbi(text) ? undefined : unreadable(text);
}

function readAbi(text: string): Interface | undefined {
  try {
    return new Interface(/^\s*[[{"]/.test(text) ? text : signaturesIn(text));
  } catch {
    // It is neither JSON nor a list of signatures.
    return undefined;
  }
}

/** The entries of an ABI in Solidity's form: one in a line, or ended by semicolons. */
function signaturesIn(text: string): readonly Fragment[] {
  const entries = text
    .split(/[;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  if (entries.length === 0 || !entries.every((entry) => /^(?:event|function|error)\s/.test(entry)))
    throw new SyntaxError("an ABI in Solidity's form begins with event, function or error");
  // An ethers Interface would silently skip entries that it cannot read.
  return entries.map((entry) => Fragment.from(entry));
}

function unreadable(text: string): string {
  return `the ABI cannot be read: ${text.length > 60 ? `${text.slice(0, 57)}...` : text}`;
}

function isHex(text: string): boolean {
  return /^0x(?:[0-9a-f]{2})*$/i.test(text);
}
