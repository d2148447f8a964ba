import type { EngineTrouble, HostedStatus, NetworkReading } from "../../hosting/engine.js";
import { type Connections, DatabaseError, type LockWait } from "../../store/database/database.js";
import { knownLockWaits } from "../../store/database/lock-sentence.js";
import { LateError, withinPatience } from "../http/limits/in-time.js";
import { type PipelineReading, readPipelines } from "../pipelines/pipeline-readings.js";
import type { Platform } from "../platform.js";
import { type NamedBuild, namedBuilds } from "../subgraphs/builds.js";
import { type Log, readStatuses } from "../subgraphs/read-statuses.js";
import { type Outbox, readOutbox } from "../webhooks/outbox.js";
import type { MetricsView } from "./metrics-view.js";

/** The current state of a server, without what could not be read. */
export interface Reading {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly database: {
    readonly isUp: boolean;
    readonly connections?: Connections;
    /** On the disk of its folder. */
    readonly freeBytes?: number;
    /** Statements that wait for a lock; missing where no other session has locks. */
    readonly locks?: readonly LockWait[];
  };
  /** Bytes. */
  readonly memory?: { readonly used: number; readonly limit: number };
  readonly engines: readonly {
    readonly name: string;
    readonly isUp: boolean;
    readonly troubles: readonly EngineTrouble[];
  }[];
  readonly networks: readonly NetworkReading[];
  /** The deployments that the caller may see or count. */
  readonly deployments?: readonly DeploymentReading[];
  /** The ids of all existing deployments. */
  readonly known?: ReadonlySet<string>;
  readonly outbox?: Outbox;
  /** The pipelines that the caller may see or count. */
  readonly pipelines?: readonly PipelineReading[];
}

/** A deployment with the status that its engine reports, if any. */
export interface DeploymentReading extends NamedBuild {
  readonly status?: HostedStatus | undefined;
}

/** Reads the state of a server with a few statements and one request to each engine. It reports a database that is down. */
export async function readServer(platform: Platform, view: MetricsView, log: Log): Promise<Reading> {
  const { database, hosting } = platform;
  const memory = platform.memory && {
    memory: { used: platform.memory.used(), limit: platform.memory.limit },
  };
  const connections = database.connections?.();
  const freeBytes = database.freeBytes?.();
  const pool = {
    ...(connections && { connections }),
    ...(freeBytes !== undefined && { freeBytes }),
  };
  const locks = database.lockWaits && {
    locks: await withinPatience(platform.world, () => knownLockWaits(database)).catch((error: unknown) => {
      if (error instanceof LateError) return [];
      throw error;
    }),
  };
  const at = platform.world.now();
  const networks = (await Promise.all(hosting.engines.map((engine) => engine.nodes?.() ?? []))).flat();
  try {
    const known = await withinPatience(platform.world, () => readDatabase(platform, view, log));
    return { ...known, ...memory, at, database: { isUp: true, ...pool, ...locks }, networks };
  } catch (error) {
    if (!(error instanceof DatabaseError || error instanceof LateError)) throw error;
    log.warn({ err: error }, "the database could not be read for the metrics");
    return { ...memory, at, database: { isUp: false, ...pool, ...locks }, engines: [], networks };
  }
}

/**
 * Reads the facts of the database and the engines.
 * @throws DatabaseError
 */
async function readDatabase(
  { database, hosting }: Platform,
  view: MetricsView,
  log: Log,
): Promise<Pick<Reading, "engines" | "deployments" | "known" | "outbox" | "pipelines">> {
  const all = await namedBuilds(database);
  const builds = view.kind === "project" ? await namedBuilds(database, view.project) : all;
  const outbox = await readOutbox(database);
  const pipelines = await readPipelines(database, view.kind === "project" ? view.project : undefined);
  const { known: statuses, silent } = await readStatuses(hosting, builds, log);
  return {
    engines: hosting.engines.map((engine) => ({
      name: engine.name,
      isUp: !silent.has(engine.name) && !engine.absence?.(),
      troubles: engine.troubles?.() ?? [],
    })),
    deployments: builds.map((build) => ({ ...build, status: statuses.get(build.deployment) })),
    known: new Set(all.map(({ deployment }) => deployment)),
    outbox,
    pipelines,
  };
}
