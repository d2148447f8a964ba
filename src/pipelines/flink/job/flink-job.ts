import { PipelineError } from "../../changes/pipeline-error.js";
import type { FlinkStatements } from "../flink-statements.js";
import { quotedText, setting } from "../sql-text.js";
import { GatewayError, type GatewaySession } from "./gateway.js";

/** The beginning of the names of our jobs. */
const prefix = "graphloom";

/** A job as the cluster lists it. */
export interface ListedJob {
  readonly id: string;
  readonly name: string;
  /** Flink's own word: `RUNNING`, `RESTARTING`, `FAILED`… */
  readonly status: string;
}

/** How long a job may take to start, and to write a savepoint, in milliseconds. */
const limits = { start: 120_000, savepoint: 600_000 };

/** Final states of a job. */
const ended: ReadonlySet<string> = new Set(["FINISHED", "CANCELED", "FAILED"]);

/**
 * The name of a pipeline's job. @param digest the digest of what the job computes and writes; absent in a name for
 * users
 */
export function jobName(flow: string, digest?: string): string {
  return [prefix, flow, ...(digest === undefined ? [] : [digest])].join(" ");
}

/** Whether a job has ended. */
export function hasEnded({ status }: ListedJob): boolean {
  return ended.has(status);
}

/** All jobs of a pipeline. @throws GatewayError */
export async function jobsOf(session: GatewaySession, flow: string): Promise<readonly ListedJob[]> {
  const { rows } = await session.run("SHOW JOBS");
  return rows
    .map(([id = "", name = "", status = ""]) => ({ id, name, status }))
    .filter(({ name }) => name === jobName(flow) || name.startsWith(`${jobName(flow)} `));
}

/**
 * Starts a job.
 * @param savepoint where it continues; it starts over if absent
 * @returns its id
 * @throws GatewayError, which names the part of the definition that Flink refuses
 */
export async function startJob(
  session: GatewaySession,
  { preparing, starting }: FlinkStatements,
  savepoint: string | undefined,
): Promise<string> {
  for (const { about, text } of preparing) await refusable(about, () => session.run(text));
  if (savepoint !== undefined) await session.run(setting("execution.savepoint.path", savepoint));
  const { rows } = await refusable("the job", () => session.run(starting, limits.start));
  const id = rows[0]?.[0] ?? "";
  if (!/^[0-9a-f]{32}$/.test(id))
    throw new PipelineError("Flink has started a job, but not said which.", true);
  return id;
}

/** Stops a job with a savepoint. @returns the location of the savepoint. @throws GatewayError */
export async function pauseJob(session: GatewaySession, id: string): Promise<string> {
  const { rows } = await session.run(`STOP JOB ${quotedText(id)} WITH SAVEPOINT`, limits.savepoint);
  const path = rows[0]?.[0] ?? "";
  if (path === "")
    throw new PipelineError("Flink has stopped the job, but not said where its savepoint is.", true);
  return path;
}

/** Cancels a job. @throws GatewayError */
export async function cancelJob(session: GatewaySession, id: string): Promise<void> {
  await session.run(`STOP JOB ${quotedText(id)}`);
}

/** Cancels all jobs of a pipeline. @throws GatewayError */
export async function cancelJobs(session: GatewaySession, flow: string): Promise<void> {
  for (const job of await jobsOf(session, flow)) if (!hasEnded(job)) await cancelJob(session, job.id);
}

/** Runs a statement; an error names its purpose. */
async function refusable<T>(about: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.isTemporary) throw error;
    throw new GatewayError(`Flink refuses ${about}: ${error.message}`, false, { cause: error });
  }
}
