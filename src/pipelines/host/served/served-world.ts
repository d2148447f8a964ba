import { isAbsolute, join, normalize } from "node:path";
import type { ThreadWorld } from "../../../hosting/embedded/thread-world.js";
import { openTableFiles } from "../../../machine/files/table-files.js";
import type { Database } from "../../../store/database/database.js";
import { openForeignDatabase } from "../../../store/open.js";
import { type AddressPolicy, createAddressRule } from "../../../web/outgoing/address-rule.js";
import { refusalOfHost } from "../../../web/outgoing/check-host.js";
import { createOutgoing } from "../../../web/outgoing/outgoing.js";
import { openClickHouse } from "../../machine/clickhouse/open-clickhouse.js";
import { openDuckDb } from "../../machine/duckdb/open-duckdb.js";
import { openKafka } from "../../machine/kafka/open-kafka.js";
import { limitedFiles } from "../../machine/limited-files.js";
import { openMysqlDatabase } from "../../machine/mysql/open-mysql.js";
import { openScript } from "../../machine/quickjs/open-script.js";
import type { PipelineWorld } from "../../runner/run-sinks.js";
import { encryptedMysql, encryptedPostgres } from "../../sinks/database-tls.js";
import { brokerPlace } from "../../sinks/kafka/broker-place.js";
import { SinkError } from "../../state/sink-error.js";
import { leastNumber } from "../../state/state-store.js";
import type { PipelineStart } from "../messages.js";
import { databasePlace, type Place } from "../named-places.js";
import { openDatabaseState, readDatabaseState } from "../state/database-state.js";

/** What the world of a pipeline is made of. */
export interface ServedWorldOptions extends Pick<PipelineStart, "limits" | "files" | "filesMegabytes"> {
  /** What its requests and connections may reach. */
  readonly reach: AddressPolicy;
  /** The server's database, which keeps what sinks cannot keep themselves. */
  readonly database: Database;
  readonly world: ThreadWorld;
  /** The value of a secret. */
  secret(name: string): string | undefined;
  /** Where `print` writes. */
  out(text: string): void;
}

/** Milliseconds that a query may take. */
const queryTime = 60_000;

/** Milliseconds and gigabytes of disk that the query of a job may use, which has all rows of its sources at once. */
const jobLimits = { time: 3_600_000, disk: 16 };
/** What a script may use: megabytes, and milliseconds for each row and each batch. */
const scriptLimits = { memory: 64, rowTime: 1_000, batchTime: 60_000 };

/** What a pipeline on a server needs from outside, except for its sources. */
export function servedWorld({
  limits,
  reach,
  files,
  filesMegabytes,
  database,
  world,
  secret,
  out,
}: ServedWorldOptions): Omit<PipelineWorld, "openSource"> & {
  /** Refuses the address of a database to which nothing may connect for a pipeline. @throws SinkError */
  admit(address: string): Promise<void>;
  close(): void;
} {
  const outgoing = createOutgoing(reach, world);
  const rule = createAddressRule(reach);
  const admit = async (places: readonly Place[]): Promise<void> => {
    for (const place of places) {
      const reason = await refusalOfHost(place, rule);
      const named = `${place.host}:${place.port}`;
      if (reason !== undefined)
        throw new SinkError(
          `The server does not connect to ${named}: ${reason}. Its operator can allow it with --reachable ${named}.`,
          false,
        );
    }
  };
  return {
    secret,
    out,
    outgoing,
    clock: world,
    openEngine: (isJob = false) =>
      openDuckDb({ memory: limits.sql, time: queryTime, ...(isJob && jobLimits) }),
    openScript: (program) => openScript(program, scriptLimits),
    openState: (owner) => openDatabaseState(database, owner, leastNumber(world.now())),
    readState: (owner) => readDatabaseState(database, owner),
    openFiles(path) {
      const folder = folderIn(files, path);
      return limitedFiles(openTableFiles(folder), files ?? folder, filesMegabytes, world);
    },
    async openDatabase(address) {
      await admit([await databasePlace(address)]);
      return openForeignDatabase(await encryptedPostgres(address), world);
    },
    async openMysql(address) {
      await admit([await databasePlace(address)]);
      return openMysqlDatabase(await encryptedMysql(address));
    },
    async openClickHouse(address) {
      await admit([await databasePlace(address.url)]);
      return openClickHouse(address);
    },
    async openKafka(address) {
      await admit(address.brokers.flatMap((broker) => brokerPlace(broker) ?? []));
      return openKafka(address);
    },
    admit: async (address) => admit([await databasePlace(address)]),
    close: () => outgoing.close(),
  };
}

/** The folder of a `file` sink, which is below the project's. @throws SinkError */
function folderIn(root: string | undefined, path: string): string {
  if (root === undefined)
    throw new SinkError(
      "This server keeps no files of pipelines, since it was started without --data. Write to s3_sink instead.",
      false,
    );
  const below = normalize(path);
  // A literal that looks like an import would be rewritten by tools that move files.
  if (isAbsolute(path) || below.split(/[\\/]/)[0] === "..")
    throw new SinkError(
      `On a server, "path" is below the folder of the project: write a relative path, such as ./transfers.`,
      false,
    );
  return join(root, below);
}
