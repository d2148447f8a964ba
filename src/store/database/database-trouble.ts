import { DatabaseError } from "./database.js";

/**
 * Whether a statement failed because of the state of the database, so that a retry may succeed. Only invalid data (class
 * 22) and violated constraints (class 23) fail every time. Class 54 is in between: a full queue of notifications passes, a
 * row that is too large does not. It counts as passing, because an operator can help, and a retry shows the reason.
 */
export function isDatabaseTrouble(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && !/^(?:22|23)/.test(error.code ?? "");
}
