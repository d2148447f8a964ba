import { Refusal } from "../answers/refusal.js";
import type { Parameters } from "./read-chain.js";

/** The most tokens in one parameter, and in all: servers accept 128 KiB per parameter, and 1 MiB per URL. */
const mostOfOne = 2_000;
const mostOfAll = 20_000;

/**
 * The condition that rows belong to the given tokens.
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
