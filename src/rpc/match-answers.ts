import type { AnswerPart } from "./split-answers.js";

/** A node's answer to one call: the JSON of its result or error; neither if the answer is ambiguous or missing. */
export interface Outcome {
  readonly result?: Uint8Array;
  readonly error?: Uint8Array;
}

/** The outcomes of calls, in order. */
export interface Matched {
  readonly outcomes: readonly Outcome[];
  /** Whether every call has exactly one answer, and no answer is extra. */
  readonly isOneToOne: boolean;
}

/**
 * Matches answers to calls with consecutive ids. If a call has two answers, ignores both, because either may belong
 * to another call.
 * @param first the first id
 * @param count number of calls
 */
export function matchAnswers(parts: readonly AnswerPart[], first: number, count: number): Matched {
  const outcomes = new Array<Outcome>(count).fill({});
  const answers = new Array<number>(count).fill(0);
  let strangers = 0;
  for (const part of parts) {
    const index = indexOf(part, first, count);
    if (index === undefined) {
      strangers += 1;
      continue;
    }
    const times = (answers[index] ?? 0) + 1;
    answers[index] = times;
    outcomes[index] = times === 1 ? outcomeOf(part) : {};
  }
  return { outcomes, isOneToOne: strangers === 0 && answers.every((times) => times === 1) };
}

/** The position of the call with an answer's id. A single error without an id answers a single call. */
function indexOf({ id, error }: AnswerPart, first: number, count: number): number | undefined {
  if (id === "null" && count === 1 && error) return 0;
  const [, digits] = /^("?)(\d{1,16})\1$/.exec(id)?.slice(1) ?? [];
  const index = digits === undefined ? Number.NaN : Number(digits) - first;
  return index >= 0 && index < count ? index : undefined;
}

function outcomeOf({ result, error }: AnswerPart): Outcome {
  if (error) return { error };
  return result ? { result } : {};
}
