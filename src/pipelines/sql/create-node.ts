import type { RowColumn } from "../changes/schema.js";
import type { ListedRows } from "./create-lookups.js";
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
  | {
      readonly name: string;
      readonly sql: string;
      /** Where it looks rows up; absent if it joins like any other query. */
      readonly listed?: ListedRows | undefined;
    };

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
  if ("sql" in node) {
    const query = standardSql(node.sql);
    const columns = await engine.createView(node.name, query);
    await node.listed?.connect(engine, node.name, query);
    return columns;
  }
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
