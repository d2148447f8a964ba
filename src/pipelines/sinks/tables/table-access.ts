import type { SqlFragment } from "../../../store/database/database.js";
import { SQL } from "../../../store/database/database.js";
import type { Named } from "../../definition/settings.js";
import type { Shape } from "../../definition/shape.js";
import { resetMark } from "../../state/lineage-guard.js";
import type { ParkedChange } from "../../state/parked-change.js";
import type { PlannedSinkOf, SinkOwner, SinkWorld } from "../opening.js";
import type { SinkAccess } from "../sink-type.js";
import { auditTable } from "./audit-table.js";
import { notMade, sharedTable } from "./check-table.js";
import type { Closing, TableDialect, TableOptions } from "./table-dialect.js";
import { openTable, stateOf } from "./table-sink.js";

/**
 * How the table of a sink is reached.
 * @param optionsOf opens the database of a sink, and reads what is written there, and how; throws a SinkError
 */
export function tableAccess<S extends Shape, Session, Database extends Session & Closing, Existing>(
  dialect: TableDialect<Session, Database, Existing>,
  optionsOf: (
    planned: PlannedSinkOf<S>,
    owner: SinkOwner,
    world: SinkWorld,
  ) => Promise<TableOptions<Session, Database>>,
): Required<SinkAccess<S>> {
  return {
    open: async (planned, owner, world) => openTable(dialect, await optionsOf(planned, owner, world)),
    audit: async (planned, owner, world, options, work) =>
      auditTable(dialect, await optionsOf(planned, owner, world), owner.sources, options, work),
    reset: async (planned, owner, world, recreates) =>
      resetTable(dialect, await optionsOf(planned, owner, world), recreates),
    parked: async (planned, owner, world) => parkedOf(dialect, await optionsOf(planned, owner, world)),
  };
}

/** The types that a definition chooses by column; null for one that is left out. @param typeOf throws nothing: names were checked */
export function chosenTypes(
  given: readonly Named<string | null>[] | undefined,
  typeOf: (text: string) => SqlFragment | undefined,
): ReadonlyMap<string, SqlFragment | null> {
  const chosen = (given ?? []).map(
    ({ name, value }) => [name.value, value.value === null ? null : (typeOf(value.value) ?? null)] as const,
  );
  return new Map(chosen);
}

/** Empties the tables of a sink, and closes the database. @throws SinkError */
async function resetTable<Session, Database extends Session & Closing, Existing>(
  dialect: TableDialect<Session, Database, Existing>,
  options: TableOptions<Session, Database>,
  recreates: boolean,
): Promise<void> {
  const { database, table, beside } = options;
  const tables = [table, ...(beside ? [beside.table] : [])];
  try {
    const kept = stateOf(dialect, options);
    await kept.prepare(database);
    const other = await kept.otherWriter(database);
    if (other !== undefined) throw sharedTable(table, other);
    const isMarked = recreates && dialect.dropsAtOnce;
    const remove = async (session: Session, drops: boolean): Promise<void> => {
      for (const one of tables) {
        if ((await dialect.columnsOf(session, one)).size === 0) continue;
        if (recreates && !(await kept.isMade(session, one))) throw notMade(one);
        const name = dialect.name(one);
        if (drops) await dialect.ask(session, SQL`drop table ${name}`);
        else if (!recreates) await dialect.ask(session, SQL`delete from ${name}`);
      }
    };
    if (isMarked) {
      await remove(database, false);
      await kept.keepLineage(database, resetMark);
    }
    await dialect.transaction(database, async (session) => {
      await remove(session, recreates && !isMarked);
      await kept.begin(session);
    });
    if (isMarked)
      for (const one of tables) await dialect.ask(database, SQL`drop table if exists ${dialect.name(one)}`);
  } catch (error) {
    throw dialect.sinkError(error);
  } finally {
    await database.close();
  }
}

/** Reads the parked changes of a table, and closes the database. @throws SinkError */
async function parkedOf<Session, Database extends Session & Closing, Existing>(
  dialect: TableDialect<Session, Database, Existing>,
  options: TableOptions<Session, Database>,
): Promise<readonly ParkedChange[]> {
  const { database } = options;
  try {
    return await stateOf(dialect, options).parked(database);
  } catch (error) {
    throw dialect.sinkError(error);
  } finally {
    await database.close();
  }
}
