import type { AnswerPart } from "./split-answers.js";

/** What a node said to one call: JSON of its result or of its error; neither when it said nothing that is certain. */
export interface Outcome {
  readonly result?: Uint8Array;
  readonly error?: Uint8Array;
}

/** The outcomes of calls, in their order. */
export interface Matched {
  readonly outcomes: readonly Outcome[];
  /** Whether every call has exactly one answer, and no answer is left over. */
  readonly isOneToOne: boolean;
}

/**
 * Matches the answers to calls whose ids are consecutive numbers. Two answers to one call are none, since either may be
 * another call's.
 * @param first id
 * @param count of the calls
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

/** The place of the call that an answer names by its id; a lone error without an id is that of a lone call. */
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
