import { isRecord } from "../base/json-value.js";

/** The values of a list that are objects; none where there is no list. */
export function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A block number, which may be in hexadecimal digits; `undefined` for anything else. */
export function blockOf(value: unknown): number | undefined {
  const isHex = typeof value === "string" && /^0x[0-9a-f]{1,8}$/i.test(value);
  const block = isHex ? Number(value) : value;
  return typeof block === "number" && Number.isInteger(block) && block >= 0 && block <= 0x7fff_ffff
    ? block
    : undefined;
}

/** Whether a value is an address in hexadecimal digits. */
export function isAddress(value: unknown): value is string {
  return typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value);
}

/** Whether a value is a name that Solidity allows; others are no contract's. */
export function isName(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z_$][\w$]{0,99}$/.test(value);
}

/** A name that a configuration may hold as a chain's; local chains have no other. */
export function safeNetwork(text: string): string {
  return /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}$/.test(text) && !/^\d+$/.test(text) ? text : "localhost";
}
