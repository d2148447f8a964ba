import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { lockFile, NoLocksError } from "../../../base/lock-file.js";
import { holderText } from "../../../base/lock-holder.js";
import { parseJson } from "../../../base/text/json-value.js";
import { visible } from "../../../base/text/visible.js";
import { makeFolders } from "../../../compiler/write/make-folders.js";
import { missing, writeDurably } from "../../../machine/files/durable-files.js";
import { PipelineError } from "../../changes/pipeline-error.js";
import { type KeptJob, type KeptJobStore, readKeptJob } from "../../flink/job/kept-job.js";

/**
 * Opens the saved job of a pipeline in Flink: the file `<pipeline>/flink.json`.
 * @param folder absolute; the folder of all states
 * @throws PipelineError if another process has it open, or if it cannot be read
 */
export async function openKeptJob(folder: string, flow: string): Promise<KeptJobStore> {
  const path = join(folder, flow, "flink.json");
  makeFolders(dirname(path));
  const close = lock(path);
  try {
    let kept = await read(path);
    return {
      get kept() {
        return kept;
      },
      keep: async (job) => {
        await writeDurably(path, Buffer.from(`${JSON.stringify(job)}\n`));
        kept = job;
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function read(path: string): Promise<KeptJob | undefined> {
  const text = await readFile(path, "utf8").catch(missing(undefined));
  if (text === undefined) return undefined;
  const job = readKeptJob(parseJson(text));
  if (job) return job;
  throw new PipelineError(
    `${visible(path)} is not a saved job of Flink. Restore it, or delete it and empty the tables that the job writes.`,
    false,
  );
}

/** @returns a function that releases the lock */
function lock(path: string): () => void {
  try {
    const result = lockFile(`${path}.lock`);
    if (result.kind === "ours") return result.release;
    throw new PipelineError(
      `The pipeline is run on Flink by ${holderText(result.holder)}. Wait until that process has ended, or give the pipeline another name.`,
      false,
    );
  } catch (error) {
    if (error instanceof NoLocksError) throw new PipelineError(error.message, false, { cause: error });
    throw error;
  }
}
