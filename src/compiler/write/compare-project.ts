import { resolve } from "node:path";
import { inspectPath } from "./inspect-path.js";
import { hasPendingChange } from "./journal.js";
import { bytesOf, type ProjectFiles } from "./plan.js";
import { RECORD_PATH, readRecord, recordText, sha256 } from "./record.js";

/**
 * The differences between a target and the project. If the lists are empty and no change is pending, the
 * target is up to date.
 */
export interface ProjectComparison {
  /** Whether a committed change is incomplete; then the lists are unreliable. */
  readonly pending: boolean;
  readonly missing: readonly string[];
  readonly different: readonly string[];
  /** Files that still exist, but are no longer generated. */
  readonly extra: readonly string[];
}

/**
 * Compares a target with the project's files. Read-only; follows no symbolic link inside the target. A record with
 * different content counts as different; a missing one does not, because a repository may omit it.
 */
export async function compareProject(target: string, files: ProjectFiles): Promise<ProjectComparison> {
  const root = resolve(target);
  const missing: string[] = [];
  const different: string[] = [];
  for (const [path, content] of files) {
    const held = inspectPath(root, path);
    if (held.kind === "nothing") missing.push(path);
    else if (held.kind !== "file" || !held.content.equals(bytesOf(content))) {
      different.push(path);
    }
  }
  const record = readRecord(root);
  const extra = [...record.keys()].filter(
    (path) => !files.has(path) && inspectPath(root, path).kind === "file",
  );
  if (record.size > 0 && missing.length + different.length + extra.length === 0) {
    const wanted = recordText(new Map([...files].map(([path, content]) => [path, sha256(content)])));
    if (recordText(record) !== wanted) different.push(RECORD_PATH);
  }
  const pending = hasPendingChange(root);
  return { pending, missing: missing.sort(), different: different.sort(), extra: extra.sort() };
}
