import { openForeignDatabase } from "../../store/open.js";
import type { AddressPolicy } from "../../web/outgoing/address-rule.js";
import { createOutgoing } from "../../web/outgoing/outgoing.js";
import { openClickHouse } from "../machine/clickhouse/open-clickhouse.js";
import { openDuckDb } from "../machine/duckdb/open-duckdb.js";
import { openKafka } from "../machine/kafka/open-kafka.js";
import { openMysqlDatabase } from "../machine/mysql/open-mysql.js";
import { openScript } from "../machine/quickjs/open-script.js";
import { openTemporaryScratch } from "../machine/temporary-scratch.js";
import type { PipelineWorld } from "../runner/run-sinks.js";
import type { AuditedWorld } from "../sinks/audit.js";
import { encryptedMysql, encryptedPostgres } from "../sinks/database-tls.js";

/** What sinks and transforms need from outside, that differs between processes. */
export interface PortOptions
  extends Pick<
    PipelineWorld,
    "out" | "outWidth" | "secret" | "clock" | "openFiles" | "openDuckDbFile" | "openState" | "readState"
  > {
  /** Megabytes that each SQL engine may use. */
  readonly memory: number;
  /** Which addresses requests may reach. */
  readonly reach: AddressPolicy;
  /** The clock of connections. */
  readonly world: Parameters<typeof openForeignDatabase>[1];
}

/** What a pipeline needs from outside, except for its sources. */
export interface Ports extends Omit<PipelineWorld, "openSource">, Pick<AuditedWorld, "openScratch"> {
  /** Closes idle connections. */
  close(): void;
}

/** Milliseconds that a query may take. */
const queryTime = 60_000;
/** Milliseconds and gigabytes of disk that the query of a job may use, which has all rows of its sources at once. */
const jobLimits = { time: 3_600_000, disk: 16 };
/** What a script may use: megabytes, and milliseconds for each row and each batch. */
const scriptLimits = { memory: 64, rowTime: 1_000, batchTime: 60_000 };

/** Opens what sinks and transforms need, for the command line and the server alike. */
export function openPorts({ memory, reach, world, ...own }: PortOptions): Ports {
  const outgoing = createOutgoing(reach, world);
  return {
    ...own,
    outgoing,
    openEngine: sqlEngines(memory),
    openScript: (program) => openScript(program, scriptLimits),
    openScratch: openTemporaryScratch,
    openDatabase: async (address) => openForeignDatabase(await encryptedPostgres(address), world),
    openMysql: async (address) => openMysqlDatabase(await encryptedMysql(address)),
    openClickHouse,
    openKafka: (address) => openKafka(address),
    close: () => outgoing.close(),
  };
}

/** Returns what opens empty databases for the SQL of a pipeline. @param memory megabytes of each */
export function sqlEngines(memory: number): PipelineWorld["openEngine"] {
  return (isJob = false) => openDuckDb({ memory, time: queryTime, ...(isJob && jobLimits) });
}
