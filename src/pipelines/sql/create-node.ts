import type { RowColumn } from "../changes/schema.js";
import type { SqlEngine } from "./engine.js";
import { functionNamed } from "./functions.js";
import { isLookup, type Lookup, lookupFunction } from "./lookup-function.js";
import { standardSql } from "./standard-sql.js";

/** A node of a pipeline for queries: a table with rows, or a query. */
export type QueryNode =
  | {
      readonly name: string;
      readonly columns: readonly RowColumn[];
      /** A condition in SQL; other rows are left out. */
      readonly filter?: string | undefined;
    }
  | { readonly name: string; readonly sql: string };

/**
 * Creates a node in the engine, after the nodes that it reads.
 * @param operations further columns of tables, each of which holds `i` in every row
 * @returns the columns of the node
 * @throws QueryError for a filter or query that does not fit
 */
export async function createNode(
  engine: SqlEngine,
  node: QueryNode,
  operations: readonly string[],
): Promise<readonly RowColumn[]> {
  if ("sql" in node) return engine.createView(node.name, standardSql(node.sql));
  const condition = node.filter === undefined ? undefined : standardSql(node.filter);
  await engine.createTable(node.name, node.columns, { condition, operations });
  return node.columns;
}

/**
 * Adds the function with this name, if the engine lacks it and we have one.
 * @param has answers the functions that look values up
 * @returns whether there is one
 */
export async function defineFunction(engine: SqlEngine, name: string, has: Lookup): Promise<boolean> {
  const found = isLookup(name) ? lookupFunction(name, has) : functionNamed(name);
  if (found) await engine.define(found);
  return found !== undefined;
}
