import { type Database, SQL } from "../../src/store/database/database.js";
import { quoteName, quoteNames } from "../../src/store/database/quote.js";
import type { EntityTable, Layout } from "../../src/store/tables/layout.js";

/** A version as the table has it. */
export interface StoredVersion {
  readonly begins: number;
  /** Missing for the current version. */
  readonly ends: number | undefined;
  /** The database's text of each value, by field. */
  readonly values: ReadonlyMap<string, string | null>;
}

/** The versions of entities by id, newest first. Entities with the most versions come first. */
export async function storedHistories(
  database: Database,
  { namespace }: Layout,
  { name, immutable, columns }: EntityTable,
): Promise<ReadonlyMap<string, readonly StoredVersion[]>> {
  const range = immutable
    ? SQL`block$::text as begins$, null::text as ends$`
    : SQL`lower(block_range)::text as begins$, upper(block_range)::text as ends$`;
  const values = columns.map((column) => SQL`t.${quoteName(column.name)}::text as ${quoteName(column.name)}`);
  const rows = await database.query(
    SQL`select ${range}, ${values} from ${quoteNames(namespace, name)} t order by vid desc`,
  );
  const all = new Map<string, StoredVersion[]>();
  for (const row of rows) {
    const id = String(row.id).replace(/^\\x/, "0x");
    const version = {
      begins: Number(row.begins$),
      ends: row.ends$ === null ? undefined : Number(row.ends$),
      values: new Map(columns.map((column) => [column.field, row[column.name] ?? null])),
    };
    all.set(id, [...(all.get(id) ?? []), version]);
  }
  return new Map([...all].sort(([, one], [, other]) => other.length - one.length));
}

/** What a version says of the block in which it begins. Nothing if it has the number of another block, or none. */
export interface StoredFacts {
  readonly hasTime: boolean;
  readonly transaction: string | undefined;
  readonly contract: string | undefined;
}

/** The facts in fields with the names that graphloom gives, or that mappings usually have. */
export function factsIn({ begins, values }: StoredVersion): StoredFacts {
  const own = (...fields: readonly string[]): string | undefined =>
    fields.map((field) => values.get(field)?.replace(/^\\x/, "0x")).find((value) => value !== undefined);
  const isOfBlock = own("block_number", "blockNumber") === String(begins);
  return {
    hasTime: isOfBlock && own("timestamp_", "blockTimestamp") !== undefined,
    transaction: isOfBlock ? own("transactionHash_", "transactionHash") : undefined,
    contract: isOfBlock ? own("contractId_")?.toLowerCase() : undefined,
  };
}
