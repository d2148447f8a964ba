import { resetMark } from "../../state/lineage-guard.js";
import { lineageRow } from "../../state/version-state.js";
import type { ResetSink } from "../opening.js";
import { notMade } from "../tables/check-table.js";
import { keptLineage, refuseRunningInserts, sinkErrorOf, stateOf } from "./clickhouse-sink.js";
import { clickHouseOptions } from "./open-clickhouse.js";
import type { ClickhouseShape } from "./shape.js";
import { quotedTable } from "./target-table.js";

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
