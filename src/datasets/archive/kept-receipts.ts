import type { Receipt } from "../../runtime/chain/chain.js";
import { readAnswer } from "./json-answer.js";
import type { KeptAnswer } from "./segments/segments.js";

/** The answers in a segment about the receipts of a block. */
export interface KeptReceipts {
  readonly number: number;
  readonly hash: string;
  /** All receipts, in transaction order. */
  readonly whole?: readonly Receipt[];
  /** All receipts, in the encoding of the trie. */
  readonly raw?: readonly string[];
  /** Receipts that were requested one by one, at most one per transaction. */
  readonly single: readonly Receipt[];
}

/**
 * Groups the receipts among answers by block.
 * @param onNonsense receives malformed answers
 */
export function keptReceipts(
  answers: readonly KeptAnswer[],
  onNonsense: (answer: KeptAnswer) => void,
): readonly KeptReceipts[] {
  const blocks = new Map<string, KeptReceipts>();
  for (const answer of answers) {
    const kind = receiptQuestion(answer);
    if (kind === undefined) continue;
    const { block: number, hash } = answer;
    const known = blocks.get(hash) ?? { number, hash, single: [] };
    const value = parsed(answer);
    // The node does not return receipts in this form.
    if (value === null && kind !== "single") continue;
    if (kind === "raw" && isListOf(value, isHex)) blocks.set(hash, { ...known, raw: value });
    else if (kind === "whole" && isListOf(value, isReceipt)) blocks.set(hash, { ...known, whole: value });
    else if (kind === "single" && isReceipt(value)) {
      // Two processes may have stored the same receipt. As in lookups, the last one counts.
      const others = known.single.filter(({ transactionHash }) => transactionHash !== value.transactionHash);
      blocks.set(hash, { ...known, single: [...others, value] });
    } else onNonsense(answer);
  }
  return [...blocks.values()];
}

/** The form of the receipts in an answer; `undefined` if it contains none. */
export function receiptQuestion({ question }: KeptAnswer): "whole" | "raw" | "single" | undefined {
  if (question.startsWith("receipts ")) return "whole";
  if (question.startsWith("raw receipts ")) return "raw";
  return question.startsWith("receipt ") ? "single" : undefined;
}

/** Verification reports answers that are not JSON. */
function parsed({ answer }: KeptAnswer): unknown {
  try {
    return readAnswer(answer);
  } catch {
    return undefined;
  }
}

function isListOf<T>(value: unknown, isOne: (value: unknown) => value is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isOne);
}

/** Whether a value has the fields that a receipt's encoding needs. */
function isReceipt(value: unknown): value is Receipt {
  if (typeof value !== "object" || value === null) return false;
  const { transactionHash, transactionIndex, cumulativeGasUsed, status, root, logsBloom, logs } =
    value as Partial<Receipt>;
  return (
    isHex(transactionHash) &&
    typeof transactionIndex === "number" &&
    isAmount(cumulativeGasUsed) &&
    isHex(logsBloom) &&
    (status === null || isAmount(status)) &&
    (root === null || isHex(root)) &&
    isListOf(logs, isLog)
  );
}

function isLog(value: unknown): value is Receipt["logs"][number] {
  if (typeof value !== "object" || value === null) return false;
  const { address, topics, data, logIndex } = value as Partial<Receipt["logs"][number]>;
  return isHex(address) && isListOf(topics, isHex) && isHex(data) && typeof logIndex === "number";
}

function isHex(value: unknown): value is string {
  return typeof value === "string" && /^0x(?:[0-9a-f]{2})*$/.test(value);
}

function isAmount(value: unknown): value is bigint {
  return typeof value === "bigint" && value >= 0n;
}
