import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { lockFile, NoLocksError } from "../../../base/lock-file.js";
import { holderText } from "../../../base/lock-holder.js";
import { parseJson } from "../../../base/text/json-value.js";
import { visible } from "../../../base/text/visible.js";
import { makeFolders } from "../../../compiler/write/make-folders.js";
import { missing, writeDurably } from "../../../machine/files/durable-files.js";
import { PipelineError } from "../../changes/pipeline-error.js";

/** A record in a file, which one process at a time has open. */
export interface KeptFile<Kept> {
  readonly kept: Kept | undefined;
  /** Writes another one durably. */
  keep(kept: Kept): Promise<void>;
  close(): void;
}

/**
 * Opens the saved job of a pipeline in Flink.
 * @param path of the file, absolute; its folder is made
 * @param read makes the record from JSON; `undefined` for anything else
 * @throws PipelineError if another process has it open, or if it cannot be read
 */
export async function openKeptFile<Kept>(
  path: string,
  read: (found: unknown) => Kept | undefined,
): Promise<KeptFile<Kept>> {
  makeFolders(dirname(path));
  const close = lock(path);
  try {
    const text = await readFile(path, "utf8").catch(missing(undefined));
    let kept = text === undefined ? undefined : read(parseJson(text));
    if (text !== undefined && kept === undefined)
      throw new PipelineError(
        `${visible(path)} is not a saved job of Flink. Restore it, or delete it and empty the tables that the job writes.`,
        false,
      );
    return {
      get kept() {
        return kept;
      },
      keep: async (next) => {
        await writeDurably(path, Buffer.from(`${JSON.stringify(next)}\n`));
        kept = next;
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
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
