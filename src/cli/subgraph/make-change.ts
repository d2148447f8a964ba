import { changeOutcome } from "../../web/http/change-outcome.js";
import { UnknownChange } from "../remote/unknown-change.js";

/** A change at a server, and how to find out whether it was made when its answer is lost. */
export interface Change<Answer> {
  /** The sentence that is true once it is made: `pools/1.0.0 was deleted`. */
  readonly claim: string;
  readonly make: () => Promise<Answer>;
  /** Looks whether it is made; what stands for the answer, or nothing when it is not. */
  readonly look: () => Promise<{ readonly answer: Answer } | undefined>;
  /** How somebody finds out later: a whole sentence. */
  readonly advice: string;
}

/**
 * Makes a change; when its answer does not tell whether it was made, the server is asked.
 * @returns the answer, or what stands for it
 * @throws UnknownChange when nobody knows
 * @throws whatever `make` throws, when it is known that the change was not made
 */
export async function makeChange<Answer>({ claim, make, look, advice }: Change<Answer>): Promise<Answer> {
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

/** What stands for the answer of a change that is made, where the answer says nothing. */
export const made = { answer: undefined };
