import { createHash } from "node:crypto";
import { inspectPath } from "./inspect-path.js";
import { RECORD_FOLDER, unsafePath } from "./safe-path.js";

/** What graphloom wrote into a target: SHA-256 in hex by path. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/** Where the record lies inside a target. */
export const RECORD_PATH = `${RECORD_FOLDER}/files.json`;

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The record of a target; empty where there is none or where it is none of ours. */
export function readRecord(target: string): GeneratedFiles {
  const files = new Map<string, string>();
  try {
    const held = inspectPath(target, RECORD_PATH);
    if (held.kind !== "file") return files;
    const record: unknown = JSON.parse(`${held.content}`);
    const listed = (record as { files?: unknown } | null)?.files;
    for (const [path, hash] of Object.entries(listed ?? {})) {
      // Files are removed by this list, so that a damaged one must not lead out of the target.
      if (unsafePath(path) === undefined && typeof hash === "string") files.set(path, hash);
    }
  } catch {
    // Without a record nothing counts as ours, and nothing is removed.
  }
  return files;
}

/** The text of a record: equal records have equal bytes. */
export function recordText(files: GeneratedFiles): string {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ files: Object.fromEntries(sorted) }, undefined, 2)}\n`;
}
