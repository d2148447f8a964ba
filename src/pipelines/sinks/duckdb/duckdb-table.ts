import { SQL } from "../../../store/database/database.js";
import { quoteName } from "../../../store/database/quote.js";
import { duckdbTypes, overrideType } from "../../definition/override-type.js";
import { SinkError } from "../../state/sink-error.js";
import { DuckDbError, type DuckDbFile, type DuckDbSession, fileName } from "../duckdb-file.js";
import type { PlannedSinkOf, SinkOwner, SinkWorld } from "../opening.js";
import { comparePlaced } from "../tables/placed-rows.js";
import { chosenTypes, tableAccess } from "../tables/table-access.js";
import type { TableDialect, TableOptions } from "../tables/table-dialect.js";
import { refusedChanges, undone } from "../tables/unfit-rows.js";
import { chosenType, holds, newType } from "./column-types.js";
import type { DuckDbShape } from "./shape.js";
import { duckdbState } from "./state-tables.js";
import { changeWriter, columnsOf, tableName, temporary, unfitValues } from "./write-changes.js";

const duckdbTables: TableDialect<DuckDbSession, DuckDbFile, string> = {
  sinkError,
  isUnfit,
  state: () => duckdbState,
  transaction: (file, work) => file.transaction(work),
  ask: (session, statement) => session.query(statement),
  quote: quoteName,
  name: tableName,
  columnsOf,
  async uniqueIndexes(session, { schema, name }) {
    const rows = await session.query(
      SQL`select constraint_name as name, unnest(constraint_column_names) as col from duckdb_constraints()
          where database_name = $1 and schema_name = $2 and table_name = $3 and constraint_type in ('PRIMARY KEY', 'UNIQUE')
        union all
        select index_name, trim(unnest(string_split(trim(expressions, '[]'), ',')), ' ''"') from duckdb_indexes()
          where database_name = $1 and schema_name = $2 and table_name = $3 and is_unique`,
      ["graphloom$file", schema, name],
    );
    const indexes = new Map<string, string[]>();
    for (const { name: index, col } of rows)
      indexes.set(index ?? "", [...(indexes.get(index ?? "") ?? []), col ?? ""]);
    return indexes;
  },
  newTypes: async () => newType,
  create: (file, table, columns, key, onCreate) =>
    file.transaction(async (session) => {
      // Another sink may have created it while this one waited.
      if ((await columnsOf(session, table)).size > 0) return false;
      const lines = columns.map(({ name, sqlType }) => SQL`${quoteName(name)} ${sqlType}`);
      const keyLine = key.length === 0 ? [] : [SQL`primary key (${key.map(quoteName)})`];
      await session.query(SQL`create schema if not exists ${fileName}.${quoteName(table.schema)}`);
      await session.query(SQL`create table ${tableName(table)} (${[...lines, ...keyLine]})`);
      await onCreate(session);
      return true;
    }),
  rules: { typeOf: (type) => type, holds },
  writer: changeWriter,
  async refused(file, into, changes, write) {
    const found = await file.transaction((session) => unfitValues(session, into, changes));
    if (found.length > 0) return found;
    return refusedChanges(changes, async (some) => {
      try {
        await undone(
          (work) => file.transaction(work),
          (session: DuckDbSession) => write(session, some),
        );
        return undefined;
      } catch (error) {
        if (isUnfit(error)) return error;
        throw error;
      }
    });
  },
  addColumn: SQL`add column if not exists`,
  dropsAtOnce: false,
  audits: {
    run: (file, work) => file.transaction(work),
    // No other writes the file meanwhile.
    snapshot: (_, session, work) => work(session),
    hold: async () => undefined,
    compare: (session, compared) =>
      comparePlaced(
        session,
        {
          ask: (within, statement) => within.query(statement),
          name: tableName,
          place: SQL`rowid`,
          noPlace: SQL`null::bigint`,
          temporary,
          create: (table, query) => SQL`create or replace temp table ${table} as ${query}`,
        },
        compared,
      ),
    async put(session, into, write, changes) {
      const [unfit] = await unfitValues(session, into, changes);
      if (unfit) return unfit.why;
      await write(session, changes);
      return undefined;
    },
  },
};

function isUnfit(error: unknown): error is DuckDbError {
  return error instanceof DuckDbError && error.isOfRow;
}

/** A DuckDB error as that of a sink; other errors as they are. */
function sinkError(error: unknown): unknown {
  if (!(error instanceof DuckDbError)) return error;
  return new SinkError(error.message, error.mayPass, { cause: error });
}

/** Opens the file of a sink, and reads what is written there, and how. @throws SinkError */
async function duckdbOptions(
  { name, definition: { settings }, schema }: PlannedSinkOf<DuckDbShape>,
  { flow, lineage }: SinkOwner,
  world: SinkWorld,
): Promise<TableOptions<DuckDbSession, DuckDbFile>> {
  const path = settings.path?.value ?? "";
  const database = await world.openDuckDbFile(path).catch((error: unknown) => {
    throw error instanceof DuckDbError
      ? new SinkError(`The file ${path} cannot be opened: ${error.message}.`, error.mayPass, { cause: error })
      : error;
  });
  return {
    database,
    table: { schema: settings.schema?.value ?? "main", name: settings.table?.value ?? "" },
    schema,
    overrides: chosenTypes(settings.schema_override, (text) => {
      const type = overrideType(text, duckdbTypes);
      return type && chosenType(type);
    }),
    onConflict: settings.on_conflict?.value === "nothing" ? "nothing" : "update",
    owner: { flow, sink: name },
    lineage,
    evolves: settings.schema_changes?.value === "evolve",
  };
}

/** How a table of a DuckDB file is reached. */
export const duckdbAccess = tableAccess(duckdbTables, duckdbOptions);
