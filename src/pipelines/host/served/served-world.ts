import { isAbsolute, join, normalize } from "node:path";
import type { ThreadWorld } from "../../../hosting/embedded/thread-world.js";
import { openTableFiles } from "../../../machine/files/table-files.js";
import type { Database } from "../../../store/database/database.js";
import { type AddressPolicy, createAddressRule } from "../../../web/outgoing/address-rule.js";
import { refusalOfHost } from "../../../web/outgoing/check-host.js";
import { openDuckDbFile } from "../../machine/duckdb/open-duckdb-file.js";
import { limitedFiles, roomBelow } from "../../machine/limited-files.js";
import { brokerPlace } from "../../sinks/kafka/broker-place.js";
import { SinkError } from "../../state/sink-error.js";
import { leastNumber } from "../../state/state-store.js";
import type { PipelineStart } from "../messages.js";
import { databasePlace, type Place } from "../named-places.js";
import { openPorts, type Ports } from "../open-ports.js";
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
}: ServedWorldOptions): Ports & {
  /** Refuses the address of a database to which nothing may connect for a pipeline. @throws SinkError */
  admit(address: string): Promise<void>;
} {
  const ports = openPorts({
    memory: limits.sql,
    reach,
    world,
    clock: world,
    secret,
    out,
    openState: (owner) => openDatabaseState(database, owner, leastNumber(world.now())),
    readState: (owner) => readDatabaseState(database, owner),
    openFiles(path) {
      const folder = placeIn(files, path);
      return limitedFiles(openTableFiles(folder), files ?? folder, filesMegabytes, world);
    },
    async openDuckDbFile(path) {
      const file = placeIn(files, path);
      const requireRoom = roomBelow(files ?? file, filesMegabytes, world);
      return openDuckDbFile(file, { memory: limits.sql, requireRoom });
    },
  });
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
  const admitDatabase = async (address: string): Promise<void> => admit([await databasePlace(address)]);
  return {
    ...ports,
    async openDatabase(address) {
      await admitDatabase(address);
      return ports.openDatabase(address);
    },
    async openMysql(address) {
      await admitDatabase(address);
      return ports.openMysql(address);
    },
    async openClickHouse(address) {
      await admitDatabase(address.url);
      return ports.openClickHouse(address);
    },
    async openKafka(address) {
      await admit(address.brokers.flatMap((broker) => brokerPlace(broker) ?? []));
      return ports.openKafka(address);
    },
    admit: admitDatabase,
  };
}

/** What a sink writes on the disk, which is below the folder of the project. @throws SinkError */
function placeIn(root: string | undefined, path: string): string {
  if (root === undefined)
    throw new SinkError(
      "This server keeps no files of pipelines, since it was started without --data. Write to s3_sink instead.",
      false,
    );
  const below = normalize(path);
  if (isAbsolute(path) || below.split(/[\\/]/)[0] === "..")
    throw new SinkError(
      `On a server, "path" is below the folder of the project: write a relative path, such as ./transfers.`,
      false,
    );
  return join(root, below);
}
