import { DatabaseError, type Sql } from "../database/database.js";
import type { JsonRow } from "./answer/assemble.js";
import type { RootPlan } from "./plan/root-sql.js";
import { QueryError } from "./query-error.js";

/** That a statement took too long: the connection may be gone with it, so that nothing follows. */
export class QueryTimeout extends QueryError {
  constructor(cause: DatabaseError) {
    super("Query timed out", { attestable: false, cause });
  }
}

/** Bytes that the values of one request may still have. */
export interface ByteBudget {
  readonly limit: number;
  spent: number;
}

/**
 * Reads what a plan asks for.
 * @param isGuarded whether statements may follow one that fails: then it is undone first
 * @throws QueryError for what the database refused because of the query; DatabaseError for everything else
 */
export async function runPlan(
  plan: RootPlan,
  sql: Sql,
  budget: ByteBudget,
  isGuarded: boolean,
): Promise<readonly JsonRow[]> {
  const { statement, parameters } = plan;
  if (statement === undefined) return [];
  if (isGuarded) await sql.run("savepoint field");
  try {
    const rows = await sql.query(statement, parameters);
    return rows.map(({ j = null }) => parsedRow(j, budget));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.code === "57014") throw new QueryTimeout(error);
    const reason = reasonOf(error, plan);
    if (isGuarded) await sql.run("rollback to savepoint field");
    throw reason;
  }
}

function parsedRow(text: string | null, budget: ByteBudget): JsonRow {
  if (text === null) return [];
  budget.spent += text.length;
  if (budget.spent > budget.limit) {
    throw new QueryError(
      `the result size of ${budget.spent} is larger than the allowed limit of ${budget.limit}`,
      { attestable: false },
    );
  }
  const row: unknown = JSON.parse(text);
  return Array.isArray(row) ? row : [];
}

/** Data that cannot be, too much of something, and no memory left: all for the query's sake. */
const queriesFault = /^(?:22|54|53200)/;

function reasonOf(error: DatabaseError, { root }: RootPlan): QueryError {
  const { code = "", message } = error;
  const attestable = false;
  if (code === "42601" && root.kind === "fulltext") {
    return new QueryError(
      `Invalid fulltext search query syntax. Error: ${message}. ` +
        "Hint: Search terms with spaces need to be enclosed in single quotes",
      { cause: error },
    );
  }
  if (!queriesFault.test(code)) throw error;
  return new QueryError(`Failed to get entities from store: ${message}`, { attestable, cause: error });
}
