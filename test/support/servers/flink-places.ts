import { createNodeWorld } from "../../../src/machine/world.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { openForeignDatabase } from "../../../src/store/open.js";
import { type PostgresServer, startPostgres } from "../database/postgres-server.js";
import { until } from "../until.js";
import { type FlinkServer, startFlink } from "./flink.js";
import { freePorts } from "./java-server.js";
import { type KafkaServer, startKafka } from "./kafka.js";

/** Flink, Kafka, and a PostgreSQL that Java reaches. They take long to start, so that all tests share them. */
export interface FlinkPlaces {
  readonly flink: FlinkServer;
  readonly kafka: KafkaServer;
  readonly database: Database;
  /** The port of PostgreSQL on 127.0.0.1. Its user is `postgres`, without a password. */
  readonly port: number;
  /** All rows of a table as text, in order; none before it is there. */
  rowsOf(table: string): Promise<readonly string[]>;
  /** States of the jobs that have not come to their end. */
  active(): Promise<readonly string[]>;
  /** Cancels all jobs, and waits until they have come to their end. */
  cancelAll(): Promise<void>;
  /** Users of Kafka, who may do nothing before it is granted. */
  readonly users: readonly KafkaUser[];
  stop(): Promise<void>;
}

/** A user of Kafka. */
export interface KafkaUser {
  readonly user: string;
  readonly password: string;
}

const users: readonly KafkaUser[] = [
  { user: "victim", password: "it's a password" },
  { user: "thief", password: "another password" },
];

const ended: ReadonlySet<string> = new Set(["FINISHED", "CANCELED", "CANCELLING", "FAILED"]);

/** Starts all of them. They end with this process at the latest. */
export async function startFlinkPlaces(): Promise<FlinkPlaces> {
  const [port = 0] = await freePorts(1);
  const [flink, kafka, postgres]: [FlinkServer, KafkaServer, PostgresServer] = await Promise.all([
    startFlink(),
    startKafka({ users: Object.fromEntries(users.map(({ user, password }) => [user, password])) }),
    startPostgres({ listen_addresses: "127.0.0.1", port: String(port) }),
  ]);
  const database = await openForeignDatabase(addressOf(port, "postgres"), createNodeWorld());
  const active: FlinkPlaces["active"] = async () =>
    [...(await flink.jobs()).values()].filter((state) => !ended.has(state));
  return {
    flink,
    kafka,
    database,
    port,
    users,
    async rowsOf(table) {
      const [exists] = await database.query(SQL`select to_regclass($1::text) is not null as is`, [
        `public.${table}`,
      ]);
      if (exists?.is !== "t" && exists?.is !== "true") return [];
      return ordered(await database.query(SQL`select * from ${quoteName(table)}`));
    },
    active,
    async cancelAll() {
      for (const [id, state] of await flink.jobs()) if (!ended.has(state)) await flink.cancel(id);
      await until(async () => (await active()).length === 0);
    },
    async stop() {
      await database.close();
      await Promise.all([flink.stop(), kafka.stop(), postgres.stop()]);
    },
  };
}

/** The address of a database of the server at a port, for programs that do not know sockets of this machine. */
export function addressOf(port: number, name: string): string {
  return `postgres://postgres@127.0.0.1:${port}/${name}`;
}

/** Rows as PostgreSQL writes them as JSON, in order. */
export function ordered(rows: readonly Readonly<Record<string, string | null>>[]): readonly string[] {
  return rows.map((row) => JSON.stringify(Object.fromEntries(Object.entries(row).sort()))).sort();
}
