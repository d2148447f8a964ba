import type { World } from "../../base/world.js";
import type { TableFiles } from "../../datasets/sync/table-files.js";
import type { Database } from "../../store/database/database.js";
import type { Outgoing } from "../../web/outgoing/outgoing.js";
import type { SinkDefinitionOf } from "../definition/definition.js";
import { secretVariable } from "../definition/secret-variable.js";
import type { Shape } from "../definition/shape.js";
import type { PlannedSink } from "../plan/pipeline-plan.js";
import type { LineageGuard } from "../state/lineage-guard.js";
import type { ParkedChange } from "../state/parked-change.js";
import { SinkError } from "../state/sink-error.js";
import type { ReadStateOwner, StateOwner, StateReading, StateStore } from "../state/state-store.js";
import type { ClickHouse, ClickHouseAddress } from "./clickhouse-server.js";
import type { DuckDbFile } from "./duckdb-file.js";
import type { Kafka, KafkaAddress } from "./kafka-client.js";
import type { MysqlDatabase } from "./mysql-database.js";
import type { Sink } from "./sink.js";

/** What sinks need from outside. */
export interface SinkWorld {
  /** Where rows are printed. */
  out(text: string): void;
  /** The width of the terminal where rows are printed; absent elsewhere. */
  readonly outWidth?: number | undefined;
  /** The value of a secret; `undefined` if there is none of the name. */
  secret(name: string): string | undefined;
  /** Opens a folder for files. @param path as the definition has it */
  openFiles(path: string): TableFiles;
  /** Opens a user's database. @throws DatabaseError */
  openDatabase(address: string): Promise<Database>;
  /** Opens a user's MySQL or MariaDB database. @throws MysqlError */
  openMysql(address: string): Promise<MysqlDatabase>;
  /** Opens a DuckDB file, and makes it if it is not there. @param path as the definition has it @throws DuckDbError */
  openDuckDbFile(path: string): Promise<DuckDbFile>;
  /** Opens the state of a sink that cannot keep it beside its rows. @throws SinkError */
  openState(owner: StateOwner): Promise<StateStore>;
  /** Reads the same, and creates nothing; `undefined` if nothing is kept. @throws SinkError */
  readState(owner: ReadStateOwner): Promise<StateReading | undefined>;
  /** Sends requests to addresses of the definition. */
  readonly outgoing: Pick<Outgoing, "send">;
  readonly clock: Pick<World, "timeout" | "now">;
  /** Opens a user's ClickHouse server. Nothing is asked yet. */
  openClickHouse(address: ClickHouseAddress): Promise<ClickHouse>;
  /** Prepares a client of a Kafka cluster, which connects when it is used. @param secret its name, if it is one of the definition */
  openKafka(address: KafkaAddress, secret?: string): Promise<Kafka>;
}

/** Whose sink it is, and the names of the sources that lead to it. */
export interface SinkOwner {
  readonly flow: string;
  readonly sources: readonly string[];
  /** Where its rows come from; absent where nothing new is computed. */
  readonly lineage?: LineageGuard | undefined;
}

/** A sink with the settings of its type, and what it takes. */
export interface PlannedSinkOf<S extends Shape> extends Omit<PlannedSink, "definition"> {
  readonly definition: SinkDefinitionOf<S>;
}

/**
 * Opens a sink of a type. A failure closes what it has opened.
 * @throws SinkError
 */
export type OpenSink<S extends Shape> = (
  planned: PlannedSinkOf<S>,
  owner: SinkOwner,
  world: SinkWorld,
) => Promise<Sink>;

/** Reads what a sink of a type keeps aside. @throws SinkError */
export type ReadParked<S extends Shape> = (
  planned: PlannedSinkOf<S>,
  owner: SinkOwner,
  world: SinkWorld,
) => Promise<readonly ParkedChange[]>;

/**
 * Empties a sink of a type while no process writes it, and forgets how far its sources were written. It does
 * not look at what the sink should hold. The saved lineage shows an interrupted reset.
 * @param recreates whether tables that it has made are dropped, so that they are made again
 * @throws SinkError
 */
export type ResetSink<S extends Shape> = (
  planned: PlannedSinkOf<S>,
  owner: SinkOwner,
  world: SinkWorld,
  recreates: boolean,
) => Promise<void>;

/** The value of a secret. @throws SinkError if there is none of the name */
export function secretOf(name: string, world: Pick<SinkWorld, "secret">): string {
  const secret = world.secret(name);
  if (secret !== undefined) return secret;
  throw new SinkError(
    `There is no secret ${name}. Set the environment variable ${secretVariable(name)} to its value.`,
    false,
  );
}
