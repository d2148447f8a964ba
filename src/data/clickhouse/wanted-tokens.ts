import { Refusal } from "../answers/refusal.js";
import type { Parameters } from "./read-chain.js";

/** Tokens of one parameter, and of all: servers take 128 KiB for one, and 1 MiB for an address. */
const mostOfOne = 2_000;
const mostOfAll = 20_000;

/**
 * The condition that rows are of some tokens.
 * @param tokens `undefined` for any
 * @throws Refusal if there are too many
 */
export function ofTokens(tokens: readonly string[] | undefined): {
  readonly sql: string;
  readonly parameters: Parameters;
} {
  if (tokens === undefined) return { sql: "1", parameters: {} };
  if (tokens.length > mostOfAll)
    throw new Refusal(
      "BAD_REQUEST",
      `More than ${mostOfAll} tokens pass the filters. Name tokens with token_address.`,
    );
  const parameters: Record<string, string> = {};
  const conditions: string[] = [];
  for (let at = 0; at < tokens.length; at += mostOfOne) {
    parameters[`tokens${at}`] = tokens.slice(at, at + mostOfOne).join(",");
    conditions.push(`token IN splitByChar(',', {tokens${at}:String})`);
  }
  return { sql: conditions.length === 0 ? "0" : `(${conditions.join(" OR ")})`, parameters };
}
