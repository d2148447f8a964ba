import { resetMark } from "../../state/lineage-guard.js";
import type { ResetSink } from "../opening.js";
import { notMade } from "../tables/check-table.js";
import { keptLineage, refuseRunningInserts, sinkErrorOf, stateTable } from "./clickhouse-sink.js";
import { lineageRow } from "./kept-state.js";
import { clickHouseOptions } from "./open-clickhouse.js";
import type { ClickhouseShape } from "./shape.js";
import { quotedTable } from "./target-table.js";

/**
 * Empties a table of a ClickHouse server. Whoever writes it is stopped first. Nothing here is one transaction, so that an
 * interrupted reset has to be told.
 * @throws SinkError
 */
export const resetClickHouse: ResetSink<ClickhouseShape> = async (planned, owner, world, recreates) => {
  const options = await clickHouseOptions(planned, owner, world);
  const { server, table } = options;
  try {
    const { state, prefix } = stateTable(options);
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
