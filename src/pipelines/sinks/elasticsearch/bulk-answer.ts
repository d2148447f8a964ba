import { foreignText } from "../../../base/text/foreign-text.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";

/** The outcome for an item of a bulk request. */
export interface BulkItem {
  readonly status: number;
  /** The version of the existing document, if it is too high for the item. */
  readonly current: number | undefined;
  /** The field that does not fit, as the server names it; not safe to show. */
  readonly field: string | undefined;
  /** Why it failed, safe to show; empty if it did not. */
  readonly why: string;
}

/**
 * Reads the answer to a bulk request.
 * @param count items of the request
 * @returns `undefined` for an answer without the outcome of each item
 */
export function readBulkAnswer(body: Uint8Array, count: number): readonly BulkItem[] | undefined {
  const answer = parseJson(Buffer.from(body).toString());
  if (!isRecord(answer) || !Array.isArray(answer.items) || answer.items.length !== count) return undefined;
  const items = answer.items.map(itemOf);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function itemOf(item: unknown): BulkItem | undefined {
  const [result] = isRecord(item) ? Object.values(item) : [];
  if (!isRecord(result) || typeof result.status !== "number") return undefined;
  const { type, reason } = isRecord(result.error) ? result.error : {};
  const words = [type, reason].filter((text) => typeof text === "string").join(": ");
  const [, current] = /current version \[(\d{1,18})\]/.exec(words) ?? [];
  const [, field] = /\bfield \[([^[\]]{1,300})\]/.exec(words) ?? [];
  return {
    status: result.status,
    field,
    current: current === undefined ? undefined : Number(current),
    why: foreignText(words),
  };
}
