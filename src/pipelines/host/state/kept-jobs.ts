import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Database, DatabaseError } from "../../../store/database/database.js";
import { PipelineError } from "../../changes/pipeline-error.js";
import { type KeptJob, type KeptJobStore, readKeptJob } from "../../flink/job/kept-job.js";
import { openKeptFile } from "../../machine/state/open-kept-file.js";
import {
  addRecords,
  claimState,
  dropRecords,
  findState,
  holdsState,
  readRecords,
  takenText,
} from "./state-rows.js";

/**
 * Opens the saved job of a pipeline in Flink on this machine: the file `<pipeline>/flink.json`.
 * @param folder absolute; the folder of all states
 * @throws PipelineError if another process has it open, or if it cannot be read
 */
export function openFileJob(folder: string, flow: string): Promise<KeptJobStore> {
  return openKeptFile(join(folder, flow, "flink.json"), readKeptJob);
}

/** The job of a pipeline is kept among the states of its sinks, under a name that no sink has. */
const place = { sink: "(flink)", target: "" };

/**
 * Opens the saved job of a pipeline in Flink. Only the process that opened it last may write it.
 * @throws PipelineError
 */
export async function openDatabaseJob(database: Database, flow: string): Promise<KeptJobStore> {
  try {
    const writer = randomUUID();
    const opened = await database.transaction(async (sql) => {
      const state = await claimState(sql, { flow, ...place }, writer);
      return { claim: { state, writer }, records: await readRecords(sql, state) };
    });
    let kept = opened.records.map(readJob).at(-1);
    return {
      get kept() {
        return kept;
      },
      async keep(job) {
        await database
          .transaction(async (sql) => {
            if (!(await holdsState(sql, opened.claim)))
              throw new PipelineError(await takenText(sql, opened.claim), true);
            await dropRecords(sql, opened.claim.state);
            await addRecords(sql, opened.claim.state, [job]);
          })
          .catch((error: unknown) => {
            throw pipelineError(error);
          });
        kept = job;
      },
      close: () => undefined,
    };
  } catch (error) {
    throw pipelineError(error);
  }
}

/** Reads the saved job of a pipeline. A process that has it open keeps it. @throws PipelineError */
export async function readDatabaseJob(database: Database, flow: string): Promise<KeptJob | undefined> {
  try {
    const found = await findState(database, { flow, ...place });
    return found === undefined ? undefined : (await readRecords(database, found)).map(readJob).at(-1);
  } catch (error) {
    throw pipelineError(error);
  }
}

/** Whether a job of the pipeline is saved. @throws DatabaseError */
export async function hasDatabaseJob(database: Database, flow: string): Promise<boolean> {
  return (await findState(database, { flow, ...place })) !== undefined;
}

function readJob(record: unknown): KeptJob {
  const job = readKeptJob(record);
  if (job) return job;
  throw new PipelineError("The saved state of the job in Flink cannot be read. Delete the pipeline.", false);
}

function pipelineError(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  return new PipelineError(`The server's database does not answer: ${error.message}`, true, { cause: error });
}
