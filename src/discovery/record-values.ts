import { isRecord } from "../base/text/json-value.js";

/** The objects in a list; none if the value is not a list. */
export function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A block number, which may be hexadecimal; `undefined` for anything else. */
export function blockOf(value: unknown): number | undefined {
  const isHex = typeof value === "string" && /^0x[0-9a-f]{1,8}$/i.test(value);
  const block = isHex ? Number(value) : value;
  return typeof block === "number" && Number.isInteger(block) && block >= 0 && block <= 0x7fff_ffff
    ? block
    : undefined;
}

/** Whether a value is a hexadecimal address. */
export function isAddress(value: unknown): value is string {
  return typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value);
}

/** Whether a value is a valid Solidity name. No contract has any other name. */
export function isName(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z_$][\w$]{0,99}$/.test(value);
}

/**
 * A network name if a configuration accepts it as a chain; otherwise `localhost`, because only local chains
 * have such names.
 */
export function safeNetwork(text: string): string {
  return /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}$/.test(text) && !/^\d+$/.test(text) ? text : "localhost";
}
