import { foreignText } from "../../../base/foreign-text.js";
import { isRecord, parseJson } from "../../../base/json-value.js";

/** A message that the queue has not taken. */
export interface FailedMessage {
  /** The index of the message in its request. */
  readonly index: number;
  /** Whether the message is at fault; otherwise it may be sent again. */
  readonly isRefused: boolean;
  /** Safe to show. */
  readonly why: string;
}

/**
 * Reads the answer to a request with messages whose ids are their indexes.
 * @param count messages of the request
 * @returns those that failed; `undefined` for an answer that does not say of each message what became of it
 */
export function readBatchAnswer(body: Uint8Array, count: number): readonly FailedMessage[] | undefined {
  const answer = parseJson(Buffer.from(body).toString());
  if (!isRecord(answer)) return undefined;
  const { Successful: taken = [], Failed: failed = [] } = answer;
  if (!Array.isArray(taken) || !Array.isArray(failed)) return undefined;
  const entries: readonly unknown[] = [...taken, ...failed];
  const ids = new Set(entries.map((entry) => (isRecord(entry) ? entry.Id : undefined)));
  const isWhole =
    entries.length === count &&
    Array.from({ length: count }, (_, index) => String(index)).every((id) => ids.has(id));
  if (!isWhole) return undefined;
  return failed.map(({ Id, SenderFault, Code, Message }) => ({
    index: Number(Id),
    isRefused: SenderFault === true,
    why: foreignText([Code, Message].filter((text) => typeof text === "string").join(": ")),
  }));
}
