import { Problem } from "../problem.js";

/** Runs a step, and tells which fields it refuses in the message itself, which is all that a page shows of a problem. */
export async function withFields<Made>(step: () => Promise<Made>): Promise<Made> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error;
    const fields = error.errors.map(({ field, message }) => `${field ?? "the form"} ${message}`);
    throw new Problem(error.type, `${error.message} ${fields.join("; ")}.`);
  }
}
