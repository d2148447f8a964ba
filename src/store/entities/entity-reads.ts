import type { EntityCounts, EntityVersion } from "../../runtime/store/store.js";
import { DatabaseError, SQL, type Sql } from "../database/database.js";
import { quoteName } from "../database/quote.js";
import { arrayText } from "../database/sql-array.js";
import { scalarCodecs } from "../tables/field-codecs.js";
import type { EntityTable, StoredVersion } from "./entity-table.js";

/** Reads the current versions of many entities, by id, with one statement. */
export async function readMany(
  sql: Sql,
  table: EntityTable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredVersion>> {
  const rows = await sql.query(table.currentOfMany, [arrayText(ids.map(table.ids.stored))]);
  const versions = rows.map((row) => table.version(row));
  return new Map(versions.map((version) => [version.id, version]));
}

/** Reads the current versions of the chain's data sources whose field equals or lists an id, by id. */
export async function readRelated(
  sql: Sql,
  table: EntityTable,
  field: string,
  id: string,
): Promise<readonly StoredVersion[]> {
  const found = table.fields.find((candidate) => candidate.field.name === field);
  if (!found) throw new DatabaseError(`${table.type.name} has no stored field ${field}`);
  const { name, sqlType, list } = found.column;
  const refers = list
    ? SQL`${quoteName(name)} @> array[$1::${sqlType}]`
    : SQL`${quoteName(name)} = $1::${sqlType}`;
  const rows = await sql.query(
    SQL`select ${table.selection} from ${table.name} where ${refers} and ${table.versions.isCurrent} and ${table.isOfChain} order by id`,
    [scalarCodecs[found.field.kind].stored(id)],
  );
  return rows.map((row) => table.version(row));
}

/** Reads the versions valid at a block (or the current ones), by id. */
export async function readAll(sql: Sql, table: EntityTable, at?: number): Promise<readonly StoredVersion[]> {
  const { isCurrent, visibleAt } = table.versions;
  const rows = await sql.query(
    SQL`select ${table.selection} from ${table.name}
      where ${at === undefined ? isCurrent : visibleAt(SQL`$1::integer`)} order by id`,
    at === undefined ? [] : [String(at)],
  );
  return rows.map((row) => table.version(row));
}

/** Reads the versions that started or ended in a range of blocks, by vid. */
export async function readChanges(
  sql: Sql,
  table: EntityTable,
  after: number,
  to: number,
): Promise<readonly EntityVersion[]> {
  const { begins, hasEnded } = table.versions;
  const rows = await sql.query(
    SQL`select ${table.selection} from ${table.name} where ${begins} > $1::integer and ${begins} <= $2::integer
      or ${hasEnded(SQL`> $1::integer`)} and ${hasEnded(SQL`<= $2::integer`)} order by vid`,
    [String(after), String(to)],
  );
  return rows.map((row) => ({ type: table.type.name, ...table.version(row) }));
}

/** Reads the last current versions, by vid. */
export async function readCurrent(
  sql: Sql,
  table: EntityTable,
  last: number | undefined,
): Promise<readonly EntityVersion[]> {
  const rows = await sql.query(
    SQL`select ${table.selection} from ${table.name} where ${table.versions.isCurrent} order by vid desc limit $1::bigint`,
    [last === undefined ? null : String(last)],
  );
  return rows.toReversed().map((row) => ({ type: table.type.name, ...table.version(row) }));
}

/** Counts entities and versions. */
export async function countRows(sql: Sql, table: EntityTable): Promise<EntityCounts> {
  const [row] = await sql.query(
    SQL`select count(*) filter (where ${table.versions.isCurrent}) as entities, count(*) as versions from ${table.name}`,
  );
  return { entities: Number(row?.entities ?? 0), versions: Number(row?.versions ?? 0) };
}
