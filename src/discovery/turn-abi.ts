import { Fragment } from "ethers/abi";
import { parseJson } from "../base/text/json-value.js";
import { quote } from "../base/text/quote.js";

/** Limits of a human-readable ABI: number of entries, and length of an entry in characters. */
const limits = { entries: 5_000, length: 4_000 };

/** The entries of a human-readable ABI as JSON. */
export type TurnedAbi =
  | { readonly kind: "turned"; readonly entries: readonly unknown[] }
  /** One of them cannot be read; the reason is a predicate that follows the name of the source. */
  | { readonly kind: "none"; readonly why: string };

/**
 * Converts a human-readable ABI, a JSON list of strings such as `event Transfer(address indexed to)`, to a
 * JSON ABI.
 * @returns `undefined` for a text that is not such a list
 */
export function turnAbi(text: string): TurnedAbi | undefined {
  const list = parseJson(text);
  if (!Array.isArray(list) || list.length === 0 || list.length > limits.entries) return undefined;
  const entries: unknown[] = [];
  for (const one of list) {
    if (typeof one !== "string" || one.length > limits.length) return undefined;
    const entry = turned(one);
    if (entry === undefined)
      return {
        kind: "none",
        why: `is a human-readable ABI with an entry that cannot be read: ${quote(one)}`,
      };
    entries.push(entry);
  }
  return { kind: "turned", entries };
}

function turned(text: string): unknown {
  try {
    return JSON.parse(Fragment.from(text).format("json"));
  } catch (error) {
    // Any error from ethers means that the text is wrong.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
