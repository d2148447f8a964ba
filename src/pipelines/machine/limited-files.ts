import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { World } from "../../base/world.js";
import type { TableFiles } from "../../datasets/sync/table-files.js";
import { SinkError } from "../state/sink-error.js";

/** Milliseconds for which a measured folder size is used: many small files take a while to add up. */
const believed = 2_000;
const megabyte = 1_000_000;

/**
 * Table files in a folder that shares a limit with its sibling folders. At the limit, writing fails with an error
 * that is retried, so that a sink continues once there is room.
 * @param root the folder whose size counts
 */
export function limitedFiles(
  files: TableFiles,
  root: string,
  megabytes: number,
  world: Pick<World, "now">,
): TableFiles {
  const requireRoom = roomBelow(root, megabytes, world);
  const { writeWith } = files;
  return {
    ...files,
    async write(path, content, replaces) {
      await requireRoom();
      await files.write(path, content, replaces);
    },
    ...(writeWith && {
      async writeWith(path: string, fill: (draft: string) => Promise<void>) {
        await requireRoom();
        await writeWith(path, fill);
      },
    }),
  };
}

/** A function that throws a SinkError that may pass once the files below a folder take all that they may. */
export function roomBelow(root: string, megabytes: number, { now }: Pick<World, "now">): () => Promise<void> {
  let seen = { at: Number.NEGATIVE_INFINITY, bytes: 0 };
  return async () => {
    if (now() - seen.at > believed) seen = { at: now(), bytes: await bytesBelow(root) };
    if (seen.bytes < megabytes * megabyte) return;
    throw new SinkError(
      `The files of this project's pipelines take ${Math.round(seen.bytes / megabyte).toLocaleString("en")} MB, and may take ${megabytes.toLocaleString("en")}. Remove some, or ask the operator of the server for more: GRAPHLOOM_MOST_FILE_MEGABYTES.`,
      true,
    );
  };
}

/** Bytes of all files below a folder that still exist. */
async function bytesBelow(root: string): Promise<number> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const found = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined);
    bytes += found?.size ?? 0;
  }
  return bytes;
}
