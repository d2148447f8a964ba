import { type NamedBuild, namedBuilds } from "../catalog/builds.js";
import { type Connections, DatabaseError } from "../database/database.js";
import type { Engine, HostedStatus } from "../hosting/engine.js";
import type { Platform } from "../platform.js";
import { type Outbox, readOutbox } from "../webhooks/outbox.js";

/** How a server is just now. What could not be read is left out. */
export interface Reading {
  readonly database: { readonly isUp: boolean; readonly connections?: Connections };
  readonly engines: readonly { readonly name: string; readonly isUp: boolean }[];
  readonly deployments?: readonly DeploymentReading[];
  readonly outbox?: Outbox;
}

/** A deployment, and how it goes with it as far as its engine tells. */
export interface DeploymentReading extends NamedBuild {
  readonly status?: HostedStatus | undefined;
}

/** Hears why something could not be read. */
export type Report = (what: string, error: unknown) => void;

/** Reads how a server is: with three statements, and one question to each engine. A database that is away is told of. */
export async function readServer({ database, hosting }: Platform, report: Report): Promise<Reading> {
  const connections = database.connections?.();
  const pool = connections && { connections };
  try {
    const builds = await namedBuilds(database);
    const outbox = await readOutbox(database);
    const read = await Promise.all(hosting.engines.map((engine) => statusesOf(engine, builds, report)));
    const statuses = new Map(read.flatMap((one) => [...(one ?? [])]));
    return {
      database: { isUp: true, ...pool },
      engines: hosting.engines.map(({ name }, index) => ({ name, isUp: read[index] !== undefined })),
      deployments: builds.map((build) => ({ ...build, status: statuses.get(build.deployment) })),
      outbox,
    };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    report("the database could not be read for the metrics", error);
    return { database: { isUp: false, ...pool }, engines: [] };
  }
}

/** @returns nothing when the engine does not answer */
async function statusesOf(
  engine: Engine,
  builds: readonly NamedBuild[],
  report: Report,
): Promise<ReadonlyMap<string, HostedStatus> | undefined> {
  const own = builds.filter((build) => build.engine === engine.name).map(({ deployment }) => deployment);
  try {
    return await engine.status(own);
  } catch (error) {
    report(`the engine ${engine.name} could not be asked for the metrics`, error);
    return undefined;
  }
}
