import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { storedTables } from "../../src/dumps/dump-tables.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { quoteNames } from "../../src/store/database/quote.js";
import { findDeployment, layoutOf } from "../../src/store/deployments/deployments.js";

/** A dump that graphman wrote: a full one, and an incremental one after it. */
export const recorded = fileURLToPath(new URL("recorded/kinds", import.meta.url));
/** Its deployment. */
export const kinds = "QmUd6EP3uuFTi8af3w8RsfSX5dGpfyw9HJDuuY6AvMRCoS";

const rowsFile = fileURLToPath(new URL("recorded/kinds-rows.json", import.meta.url));

/** All rows of a deployment by table, in the order of their vids. */
export async function rowsOf(
  database: Database,
  deployment: string,
): Promise<ReadonlyMap<string, readonly Record<string, unknown>[]>> {
  const found = await findDeployment(database, deployment);
  if (!found) return new Map();
  const rows = new Map<string, readonly Record<string, unknown>[]>();
  for (const { type, name } of storedTables(layoutOf(found), true)) {
    const read = await database.query(SQL`select to_jsonb(t)::text as row from ${name} t order by vid`);
    rows.set(
      type,
      read.map(({ row }) => JSON.parse(row ?? "")),
    );
  }
  return rows;
}

/**
 * The rows that graph-node had, in the form of `rowsOf`, without the lexemes of searches: in graph-node, the order of their
 * fields is random.
 * @param namespace where the tables of the dump are
 */
export async function recordedRows(
  database: Database,
  namespace: string,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const { tables } = JSON.parse(readFileSync(rowsFile, "utf8"));
  const rows = new Map<string, readonly unknown[]>();
  for (const [table, own] of Object.entries(tables)) {
    const read = await database.query(
      SQL`select to_jsonb(t)::text as row from jsonb_populate_recordset(null::${quoteNames(namespace, table)}, $1::jsonb) t
        order by vid`,
      [JSON.stringify(own)],
    );
    rows.set(
      table,
      read.map(({ row }) => withoutSearch(JSON.parse(row ?? ""))),
    );
  }
  return rows;
}

export function withoutSearch({ search: _, ...row }: Record<string, unknown>): Record<string, unknown> {
  return row;
}

/** Copies the recorded dump. @returns the new folder */
export function copyRecorded(folder: string): string {
  const copy = join(folder, "dump");
  cpSync(recorded, copy, { recursive: true });
  return copy;
}
