import { visible } from "../../base/text/visible.js";
import type { Side } from "../../compare/match-schemas.js";
import { isWebAddress } from "../../web/http/address.js";
import type { RemoteArguments } from "../remote/session.js";
import { largestBlock } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

export interface CompareArguments extends RemoteArguments {
  /** The words that name the two sides. */
  readonly left: string;
  readonly right: string;
  readonly block?: number | undefined;
  readonly entity?: readonly string[] | undefined;
  readonly headerLeft?: readonly string[] | undefined;
  readonly headerRight?: readonly string[] | undefined;
  /** Whether to compare proofs of indexing first. */
  readonly proofs: boolean;
  readonly statusLeft?: string | undefined;
  readonly statusRight?: string | undefined;
  /** Requests per second. */
  readonly rate: number;
  readonly page: number;
  readonly state?: string | undefined;
  readonly show: number;
  readonly output: "table" | "json";
}

/** @throws UsageError for invalid arguments; no message quotes an address or a header */
export function checkCompareArguments(args: CompareArguments): void {
  const numbers = [
    ["--block", args.block, 0, largestBlock],
    ["--page", args.page, 1, 1000],
    ["--show", args.show, 0, 1000],
  ] as const;
  for (const [name, value, least, most] of numbers) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= least && value <= most)) continue;
    throw new UsageError(`${name} must be a whole number from ${least} to ${most}.`);
  }
  if (!(args.rate >= 0.01 && args.rate <= 1000))
    throw new UsageError("--rate must be a number of requests per second, from 0.01 to 1000.");
  for (const [name, url] of [
    ["--status-left", args.statusLeft],
    ["--status-right", args.statusRight],
  ] as const)
    if (url !== undefined && !isWebAddress(url))
      throw new UsageError(`${name} must start with http:// or https://`);
  if (args.state === "") throw new UsageError("--state must be the path of a file.");
}

/**
 * The headers of a side, by their names in lower case.
 * @throws UsageError for a string that is not a header; the message never quotes it
 */
export function headersOf(
  side: Side,
  { headerLeft, headerRight }: Pick<CompareArguments, "headerLeft" | "headerRight">,
): Readonly<Record<string, string>> {
  return parseHeaders(`--header-${side}`, (side === "left" ? headerLeft : headerRight) ?? []);
}

/**
 * Headers as options give them, by their names in lower case.
 * @throws UsageError for a string that is not a header; the message never quotes it
 */
export function parseHeaders(option: string, texts: readonly string[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const text of texts) {
    const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? [];
    if (name === undefined || value === undefined || value === "")
      throw new UsageError(
        `${option} must have a name and a value, for example "Authorization: Bearer <key>".`,
      );
    if (!/^[\t\x20-\x7e]+$/.test(value))
      throw new UsageError(
        `${option}: the value of ${visible(name)} contains characters that a header cannot hold.`,
      );
    headers.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(headers);
}
