import { join } from "node:path";
import { openTableFiles } from "../../../../src/machine/files/table-files.js";
import { createNodeWorld } from "../../../../src/machine/world.js";
import { openClickHouse } from "../../../../src/pipelines/machine/clickhouse/open-clickhouse.js";
import { openDuckDbFile } from "../../../../src/pipelines/machine/duckdb/open-duckdb-file.js";
import { openMysqlDatabase } from "../../../../src/pipelines/machine/mysql/open-mysql.js";
import { openFileState, readFileState } from "../../../../src/pipelines/machine/state/open-file-state.js";
import type { SinkWorld } from "../../../../src/pipelines/sinks/opening.js";
import { openForeignDatabase } from "../../../../src/store/open.js";
import { createOutgoing } from "../../../../src/web/outgoing/outgoing.js";
import { openTestKafka } from "../../servers/kafka-client.js";
import { isUnlawful, refusingKafka } from "../refusing-kafka.js";
import { type Step, stepping } from "./mortal.js";

/**
 * The world of a sink as the product has it.
 * @param folder of states, and of files
 * @param options.step called before each request to the outside, and after it
 * @param options.isRefusing whether topics refuse some rows
 */
export function killedWorld(
  folder: string,
  secrets: Readonly<Record<string, string>>,
  {
    step = () => undefined,
    isRefusing = false,
  }: { readonly step?: Step; readonly isRefusing?: boolean } = {},
): SinkWorld & { close(): void } {
  const opened = async <Port extends object>(port: Promise<Port>): Promise<Port> =>
    stepping(await port, step);
  const world = createNodeWorld();
  const outgoing = createOutgoing({ allowsPrivate: true }, world);
  return {
    out: () => undefined,
    secret: (name) => secrets[name],
    openFiles: (path) => stepping(openTableFiles(join(folder, path)), step),
    openDuckDbFile: (path) => opened(openDuckDbFile(join(folder, path))),
    openDatabase: (address) => opened(openForeignDatabase(address, world)),
    openMysql: (address) => opened(openMysqlDatabase(address)),
    openState: (owner) => opened(openFileState(folder, owner)),
    readState: (owner) => readFileState(folder, owner),
    outgoing: stepping(outgoing, step),
    clock: world,
    openClickHouse: (address) => opened(openClickHouse(address)),
    openKafka: async (address) => {
      const kafka = await opened(openTestKafka(address));
      return isRefusing ? refusingKafka(kafka, isUnlawful) : kafka;
    },
    close: () => outgoing.close(),
  };
}
