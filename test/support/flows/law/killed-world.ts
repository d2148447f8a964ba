import { join } from "node:path";
import type { SinkWorld } from "../../../../src/flows/sinks/opening.js";
import { openClickHouse } from "../../../../src/node/clickhouse/open-clickhouse.js";
import { openFlowState, readFlowState } from "../../../../src/node/flow-state/open-flow-state.js";
import { openMysqlDatabase } from "../../../../src/node/mysql/open-mysql.js";
import { openTableFiles } from "../../../../src/node/table-files.js";
import { createNodeWorld } from "../../../../src/node/world.js";
import { openForeignDatabase } from "../../../../src/store/open.js";
import { createOutgoing } from "../../../../src/web/outgoing/outgoing.js";
import { openTestKafka } from "../../servers/kafka-client.js";

/**
 * The world of a sink as the product has it.
 * @param folder of states, and of files
 */
export function killedWorld(
  folder: string,
  secrets: Readonly<Record<string, string>>,
): SinkWorld & { close(): void } {
  const world = createNodeWorld();
  const outgoing = createOutgoing({ allowsPrivate: true }, world);
  return {
    out: () => undefined,
    secret: (name) => secrets[name],
    openFiles: (path) => openTableFiles(join(folder, path)),
    openDatabase: (address) => openForeignDatabase(address, world),
    openMysql: openMysqlDatabase,
    openState: (owner) => openFlowState(folder, owner),
    readState: (owner) => readFlowState(folder, owner),
    outgoing,
    clock: world,
    openClickHouse,
    openKafka: openTestKafka,
    close: () => outgoing.close(),
  };
}
