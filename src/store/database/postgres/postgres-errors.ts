import { messageOf } from "../../../base/message-of.js";
import { visible } from "../../../base/visible.js";
import { DatabaseError } from "../database.js";
import { hints } from "../hints.js";

const sqlState = /^[0-9A-Z]{5}$/;

/** Converts an error of the client or the server to a DatabaseError. */
export function databaseErrorOf(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const { code: raw, hint: told } = (error ?? {}) as { readonly code?: unknown; readonly hint?: unknown };
  const code = typeof raw === "string" ? raw : "";
  const hint = hints.get(code) ?? (typeof told === "string" ? told : undefined);
  const isAnswer = sqlState.test(code);
  const text = visible(reasonOf(error));
  return new DatabaseError(isAnswer ? text : `the database cannot be reached: ${text}`, {
    ...(isAnswer && { code }),
    ...(hint !== undefined && { hint }),
    cause: error,
  });
}

/** Failures of several addresses of a host arrive as one error without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") {
    return error.errors.map(reasonOf).join(", ");
  }
  // The client parses the address when it connects.
  if ((error as { readonly code?: unknown } | undefined)?.code === "ERR_INVALID_URL")
    return "its address cannot be read";
  return messageOf(error);
}
