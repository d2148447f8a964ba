import { DatabaseError } from "../../../store/database/database.js";
import { SourceError } from "../source-error.js";

/** Classes of errors that pass: connections, resources, transactions, shutdown. */
const temporary = /^(?:08|53|57|40|55)/;

/** Converts a failure of the subgraphs' database to a SourceError; returns other errors unchanged. */
export function subgraphsUnread(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const { code, message, hint } = error;
  return new SourceError(
    `The database of the subgraphs could not be read: ${message}${hint === undefined ? "" : `. ${hint}`}`,
    code === undefined || temporary.test(code),
    { cause: error },
  );
}
