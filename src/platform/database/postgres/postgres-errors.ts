import { visible } from "../../../base/visible.js";
import { DatabaseError } from "../database.js";

const sqlState = /^[0-9A-Z]{5}$/;

/** What of a failure can be done something about, by SQLSTATE or by the system's code. */
const hints: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "Start the server, or correct host and port in the address."],
  ["ENOTFOUND", "Correct the host in the address."],
  ["EAI_AGAIN", "Correct the host in the address, or look whether names are resolved at all."],
  ["ETIMEDOUT", "Look whether the server runs and can be reached from here."],
  ["ENOENT", "Start the server, or correct the path of its socket in the address."],
  ["28000", "Correct the user in the address, or allow the connection in pg_hba.conf."],
  ["28P01", "Correct user and password in the address."],
  ["3D000", "Make the database, or correct its name at the end of the address."],
  ["42501", "Give the user of the address the rights to create in this database."],
  ["53100", "The disk of the database is full: make room on it."],
  ["53200", "The server has run out of memory: give it more."],
  ["53300", "The server has no connection left: end others, or raise max_connections."],
  ["57P03", "The server is starting or stopping: try again in a moment."],
]);

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
