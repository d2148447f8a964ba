import { createHash } from "node:crypto";
import { inspectPath } from "./inspect-path.js";
import { RECORD_FOLDER, unsafePath } from "./safe-path.js";

/** The record of generated files in a target: SHA-256 as hex, by path. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/** Path of the record inside a target. */
export const RECORD_PATH = `${RECORD_FOLDER}/files.json`;

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Reads the record of a target; empty if there is no valid one. */
export function readRecord(target: string): GeneratedFiles {
  const files = new Map<string, string>();
  try {
    const held = inspectPath(target, RECORD_PATH);
    if (held.kind !== "file") return files;
    const record: unknown = JSON.parse(`${held.content}`);
    const listed = (record as { files?: unknown } | null)?.files;
    for (const [path, hash] of Object.entries(listed ?? {})) {
      // Files in the record may be removed, so a forged record must not lead out of the target.
      if (unsafePath(path) === undefined && typeof hash === "string") files.set(path, hash);
    }
  } catch {
    // Without a record, no file counts as generated and none is removed.
  }
  return files;
}

/** The text of a record, deterministic. */
export function recordText(files: GeneratedFiles): string {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ files: Object.fromEntries(sorted) }, undefined, 2)}\n`;
}
