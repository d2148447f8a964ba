import type { FileOutcome } from "../../../base/meters.js";
import type { DatasetSource } from "../../../hosting/datasets/dataset-source.js";
import type { MadeFile, WantedFile } from "../../../hosting/datasets/messages.js";
import type { Caller } from "../../people/access.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";

export interface FileLimits {
  /** Milliseconds of work. */
  readonly time: number;
  readonly bytes: number;
}

/** As long as clients wait, and as much as they accept. */
export const usualFileLimits: FileLimits = { time: 120_000, bytes: 64 * 1_048_576 };

const retryAfter = 10;

/**
 * Creates a file, within limits.
 * @param gone aborted when the client has left, which ends the work
 * @throws Problem when there is no file
 */
export async function makeDatasetFile(
  source: DatasetSource,
  wanted: WantedFile,
  { project }: Pick<Caller, "project">,
  { world, meters }: Pick<Platform, "world" | "meters">,
  { time, bytes: most }: FileLimits,
  gone: AbortSignal,
): Promise<MadeFile> {
  const began = world.now();
  const late = world.timeout(time);
  const count = (outcome: FileOutcome, bytes = 0): void =>
    meters?.madeFile(wanted.network, outcome, (world.now() - began) / 1000, bytes);
  const tooLarge = (why: string): Problem => {
    count("too-large");
    return new Problem("too-large", `${why} Ask for fewer blocks.`);
  };
  const end = await source.file(wanted, project, most, AbortSignal.any([gone, late]));
  switch (end.kind) {
    case "made":
      count("made", end.file.bytes.length);
      return end.file;
    case "too-large":
      throw tooLarge(`The file of these blocks has more than ${most / 1_048_576} MiB.`);
    case "out-of-memory":
      throw tooLarge("These blocks have more rows than the server can hold at once.");
    case "not-final":
      count("failed");
      throw new Problem(
        "unprocessable",
        end.final === undefined
          ? "The chain has no final block yet. Wait, then try again."
          : `Block ${wanted.to} is after the newest final block, ${end.final}, and may still be replaced. Ask for blocks up to ${end.final}.`,
      );
    case "stopped":
      if (late.aborted && !gone.aborted)
        throw tooLarge(`Reading these blocks takes longer than ${time / 1000} seconds.`);
      count("cancelled");
      if (gone.aborted) throw new Problem("bad-request", "The client closed the connection.");
      throw new Problem("unavailable", "The server is shutting down. Try again later.", { retryAfter });
    case "failed":
      count("failed");
      throw new Problem(
        "unavailable",
        "The server cannot read these blocks of the chain's node now. Try again later.",
        { retryAfter, cause: new Error(end.why) },
      );
  }
}
