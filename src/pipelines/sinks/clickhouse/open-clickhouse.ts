import { randomUUID } from "node:crypto";
import { type ClickHouseType, clickHouseType } from "../../definition/clickhouse-type.js";
import type { Named } from "../../definition/settings.js";
import { resetMark } from "../../state/lineage-guard.js";
import { SinkError } from "../../state/sink-error.js";
import { lineageRow } from "../../state/version-state.js";
import {
  type OpenSink,
  type PlannedSinkOf,
  type ReadParked,
  type ResetSink,
  type SinkOwner,
  type SinkWorld,
  secretOf,
} from "../opening.js";
import { notMade } from "../tables/check-table.js";
import { clickHouseAddress } from "./clickhouse-address.js";
import {
  type ClickHouseSinkOptions,
  keptLineage,
  openClickHouseSink,
  refuseRunningInserts,
  sinkErrorOf,
  stateOf,
} from "./clickhouse-sink.js";
import type { ClickhouseShape } from "./shape.js";
import { quotedTable } from "./target-table.js";

/** Opens a table of a ClickHouse server. @throws SinkError */
export const openClickHouseTable: OpenSink<ClickhouseShape> = async (planned, owner, world) =>
  openClickHouseSink(await clickHouseOptions(planned, owner, world));

/**
 * Empties a table of a ClickHouse server. The process that writes the table is stopped first. There are no transactions, so
 * a mark in the state says that a reset was interrupted.
 * @throws SinkError
 */
export const resetClickHouse: ResetSink<ClickhouseShape> = async (planned, owner, world, recreates) => {
  const options = await clickHouseOptions(planned, owner, world);
  const { server, table } = options;
  try {
    const { state, prefix } = stateOf(options);
    await refuseRunningInserts(server, prefix);
    await state.prepare();
    const { isMade } = await keptLineage(options, state);
    if (recreates && !isMade) throw notMade({ schema: table.database, name: table.name });
    const committed = await state.lastVersion();
    await state.takeOver(new Map(), committed, [lineageRow(resetMark, isMade)]);
    await state.forgetSources();
    const name = quotedTable(table);
    await server.run(recreates ? `DROP TABLE IF EXISTS ${name} SYNC` : `TRUNCATE TABLE IF EXISTS ${name}`);
  } catch (error) {
    throw sinkErrorOf(error);
  } finally {
    await server.close();
  }
};

/** Reads the parked changes of a table, also during a run. @throws SinkError */
export const parkedInClickHouse: ReadParked<ClickhouseShape> = async (planned, owner, world) => {
  const options = await clickHouseOptions(planned, owner, world);
  try {
    const { state } = stateOf(options);
    return (await state.exists()) ? await state.parked() : [];
  } catch (error) {
    throw sinkErrorOf(error);
  } finally {
    await options.server.close();
  }
};

/** Opens the server of a sink, and reads from the definition how the sink writes. @throws SinkError */
export async function clickHouseOptions(
  { name, definition, schema }: PlannedSinkOf<ClickhouseShape>,
  { flow, lineage }: SinkOwner,
  world: SinkWorld,
): Promise<ClickHouseSinkOptions> {
  const { settings } = definition;
  const secret = settings.secret_name?.value ?? "";
  const address = clickHouseAddress(secretOf(secret, world));
  if (address === undefined)
    throw new SinkError(
      `Secret ${secret} is not the address of a ClickHouse server. Its value looks like https://user:password@host:8443/database.`,
      false,
    );
  return {
    server: await world.openClickHouse(address),
    table: { database: settings.database?.value ?? address.database, name: settings.table?.value ?? "" },
    schema,
    overrides: overridesOf(settings.schema_override ?? []),
    version: settings.version_column_name?.value,
    flow,
    sink: name,
    lineage,
    parks: settings.on_error?.value === "park",
    evolves: settings.schema_changes?.value === "evolve",
    batchSize: settings.batch_size?.value ?? 100_000,
    flushInterval: settings.batch_flush_interval?.value ?? 1_000,
    timeout: (milliseconds) => world.clock.timeout(milliseconds),
    run: randomUUID(),
    began: world.clock.now(),
  };
}

function overridesOf(given: readonly Named<string | null>[]): ReadonlyMap<string, ClickHouseType | null> {
  return new Map(
    given.map(({ name, value }) => [
      name.value,
      value.value === null ? null : (clickHouseType(value.value) ?? null),
    ]),
  );
}
