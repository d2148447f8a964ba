import { Fragment } from "ethers/abi";
import { parseJson } from "../base/json-value.js";
import { quote } from "../base/quote.js";

/** Most entries of a human-readable ABI, and the longest one, in characters. */
const limits = { entries: 5_000, length: 4_000 };

/** The entries of a human-readable ABI in their JSON form. */
export type TurnedAbi =
  | { readonly kind: "turned"; readonly entries: readonly unknown[] }
  /** One of them cannot be read; the reason follows the name of what was read. */
  | { readonly kind: "none"; readonly why: string };

/**
 * Turns a human-readable ABI, a JSON list of texts such as `event Transfer(address indexed to)`, into its JSON form.
 * @returns `undefined` for a text that is no such list
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
    // Whatever ethers finds wrong with a text is said of the text.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
