import { DatabaseError, type Row, SQL, type Sql } from "../store/database/database.js";
import type { JsonRow } from "./answer/assemble.js";
import type { RootPlan } from "./plan/root-sql.js";
import { QueryError } from "./query-error.js";

/** A statement took too long. The connection may be lost with it, so nothing follows. */
export class QueryTimeout extends QueryError {
  constructor(cause?: DatabaseError) {
    super("Query timed out", { attestable: false, cause });
  }
}

/** The remaining budget of a request. */
export interface RunBudget {
  /** Bytes of values. */
  readonly limit: number;
  spent: number;
  /** Whether the request may start no further statement. */
  isOver(): boolean;
  /** Whether a failed statement was not undone, so that the transaction can only be rolled back. */
  isBroken: boolean;
}

export interface RunScope {
  readonly sql: Sql;
  readonly budget: RunBudget;
  /** Whether statements may follow a failed one, which is then undone first. */
  readonly isGuarded: boolean;
}

/**
 * Reads the rows of a plan.
 * @param begun the answer to its statement, if it was sent ahead
 * @throws QueryError if the query caused the database's error; DatabaseError otherwise
 */
export async function runPlan(
  plan: RootPlan,
  { sql, budget, isGuarded }: RunScope,
  begun?: Promise<readonly Row[]>,
): Promise<readonly JsonRow[]> {
  const { statement, parameters } = plan;
  if (statement === undefined) return [];
  if (budget.isOver()) throw new QueryTimeout();
  if (isGuarded) await sql.run(SQL`savepoint field`);
  try {
    const rows = await (begun ?? sql.query(statement, parameters));
    return rows.map(({ j = null }) => parsedRow(j, budget));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.code === "57014") throw new QueryTimeout(error);
    const reason = reasonOf(error, plan, budget);
    if (isGuarded) await sql.run(SQL`rollback to savepoint field`);
    else budget.isBroken = true;
    throw reason;
  }
}

function parsedRow(text: string | null, budget: RunBudget): JsonRow {
  if (text === null) return [];
  budget.spent += text.length;
  if (budget.spent > budget.limit) throw tooLarge(String(budget.spent), budget.limit);
  const row: unknown = JSON.parse(text);
  return Array.isArray(row) ? row : [];
}

function tooLarge(size: string, limit: number, cause?: DatabaseError): QueryError {
  return new QueryError(`the result size of ${size} is larger than the allowed limit of ${limit}`, {
    attestable: false,
    cause,
  });
}

/** Error classes that a query can cause: invalid data, exceeded limits, and insufficient memory. */
const queriesFault = /^(?:22|54|53200)/;

function reasonOf(error: DatabaseError, { root }: RootPlan, { limit }: RunBudget): QueryError {
  const { code = "", message } = error;
  const attestable = false;
  if (code === "42601" && root.kind === "fulltext") {
    return new QueryError(
      `Invalid fulltext search query syntax. Error: ${message}. ` +
        "Hint: Search terms with spaces need to be enclosed in single quotes",
      { cause: error },
    );
  }
  // The division by zero that stops an answer with too many bytes.
  if (code === "22012") return tooLarge(`more than ${limit}`, limit, error);
  if (!queriesFault.test(code)) throw error;
  return new QueryError(`Failed to get entities from store: ${message}`, { attestable, cause: error });
}
