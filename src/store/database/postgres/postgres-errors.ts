import { visible } from "../../../base/visible.js";
import { DatabaseError } from "../database.js";
import { hints } from "../hints.js";

const sqlState = /^[0-9A-Z]{5}$/;

/** A failure of the client or an answer of the server, as everybody else knows it. */
export function databaseErrorOf(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const { code: raw, hint: told } = error as { readonly code?: unknown; readonly hint?: unknown };
  const code = typeof raw === "string" ? raw : "";
  const hint = hints.get(code) ?? (typeof told === "string" ? told : undefined);
  const isAnswer = sqlState.test(code);
  const text = visible(messageOf(error));
  return new DatabaseError(isAnswer ? text : `the database cannot be reached: ${text}`, {
    ...(isAnswer && { code }),
    ...(hint !== undefined && { hint }),
    cause: error,
  });
}

/** The failures of several addresses of one host come as one error without a text. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") {
    return error.errors.map(messageOf).join(", ");
  }
  return error instanceof Error ? error.message : String(error);
}
