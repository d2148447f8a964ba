import { changeOutcome } from "../../web/http/change-outcome.js";
import { UnknownChange } from "../remote/unknown-change.js";

/** A change at a server, and how to find out its outcome when the response is lost. */
export interface RemoteChange<Answer> {
  /** The sentence that is true after the change: `pools/1.0.0 was deleted`. */
  readonly claim: string;
  readonly make: () => Promise<Answer>;
  /**
   * Looks up whether the change was made; returns a substitute for the answer, or `undefined` when it was
   * not.
   */
  readonly look: () => Promise<{ readonly answer: Answer } | undefined>;
  /** How the user can find out later, as a whole sentence. */
  readonly advice: string;
}

/**
 * Makes a change; after an error with an unknown outcome, asks the server whether the change was made.
 * @returns the answer, or its substitute
 * @throws UnknownChange when the outcome stays unknown
 * @throws the error of `make`, when the change was certainly not made
 */
export async function makeChange<Answer>({
  claim,
  make,
  look,
  advice,
}: RemoteChange<Answer>): Promise<Answer> {
  try {
    return await make();
  } catch (error) {
    const outcome = changeOutcome(error);
    if (outcome === "undone") throw error;
    const found = await look().catch(() => "silence" as const);
    if (typeof found === "object") return found.answer;
    if (found === undefined && outcome === "ended") throw error;
    throw new UnknownChange(claim, advice, error);
  }
}

/** The substitute for the answer of a change whose answer is empty. */
export const made = { answer: undefined };
