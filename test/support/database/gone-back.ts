import { type Database, joinFragments, SQL, type SqlFragment } from "../../../src/store/database/database.js";
import { quoteName, quoteNames } from "../../../src/store/database/quote.js";
import { arrayText } from "../../../src/store/database/sql-array.js";

/** Tables of the catalog that indexing and reading change. */
const catalog: readonly string[] = [
  "deployments",
  "recent_blocks",
  "feed_readers",
  "webhooks",
  "webhook_events",
  "flow_readings",
  "flow_places",
  "pipeline_states",
  "pipeline_state_records",
];

/** Brings a database back to what it was. */
export type Restore = () => Promise<void>;

let made = 0;

/** Copies what some schemas have in a database, and what the catalog has of deployments and their readers. */
export async function backUp(database: Database, schemas: readonly string[]): Promise<Restore> {
  const copies = `backup_${made++}`;
  const found = await database.query(
    SQL`select n.nspname as schema, c.relname as name,
        (select json_agg(a.attname) from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname = any('{graphloom}'::text[] || $1::text[])`,
    [arrayText(schemas)],
  );
  const tables = found
    .filter(({ schema, name }) => schemas.includes(schema ?? "") || catalog.includes(name ?? ""))
    .map(({ schema, name, columns }) => ({
      table: quoteNames(schema ?? "", name ?? ""),
      copy: quoteNames(copies, `${schema} ${name}`),
      columns: joinFragments((JSON.parse(columns ?? "[]") as readonly string[]).map(quoteName), SQL`, `),
    }));
  const run = async (scripts: readonly SqlFragment[]): Promise<void> =>
    database.transaction((sql) =>
      sql.run(
        joinFragments(
          scripts,
          SQL`;
`,
        ),
      ),
    );
  await run([
    SQL`create schema ${quoteName(copies)}`,
    ...tables.map(({ table, copy, columns }) => SQL`create table ${copy} as select ${columns} from ${table}`),
  ]);
  return () =>
    run([
      SQL`set local session_replication_role = replica`,
      // It happens at once for everybody else. Readers of the chain lock in this order.
      ...tables.map(({ table }) => SQL`lock table ${table} in access exclusive mode`),
      ...tables.flatMap(({ table, copy, columns }) => [
        SQL`delete from ${table}`,
        SQL`insert into ${table} (${columns}) overriding system value select ${columns} from ${copy}`,
      ]),
    ]);
}
