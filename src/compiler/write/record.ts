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

/** Keeps the record of a target outside the target. If the record is lost, no earlier file counts as generated. */
export interface RecordStore {
  get(): Promise<string | undefined>;
  put(text: string): Promise<void>;
}

/** Reads the record of a target; empty if there is no valid one. */
export function readRecord(target: string): GeneratedFiles {
  try {
    const held = inspectPath(target, RECORD_PATH);
    return held.kind === "file" ? parseRecord(`${held.content}`) : new Map();
  } catch {
    // Without a record, no file counts as generated and none is removed.
    return new Map();
  }
}

/** Parses a record; empty if it is invalid. */
export function parseRecord(text: string): GeneratedFiles {
  const files = new Map<string, string>();
  try {
    const record: unknown = JSON.parse(text);
    const listed = (record as { files?: unknown } | null)?.files;
    for (const [path, hash] of Object.entries(listed ?? {})) {
      // Recorded files may be removed, so a forged record must not lead out of the target.
      if (unsafePath(path) === undefined && typeof hash === "string") files.set(path, hash);
    }
  } catch {
    // Treat it as a missing record.
  }
  return files;
}

/** Serializes a record deterministically. */
export function recordText(files: GeneratedFiles): string {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ files: Object.fromEntries(sorted) }, undefined, 2)}\n`;
}
