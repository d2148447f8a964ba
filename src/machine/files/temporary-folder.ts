import { randomBytes } from "node:crypto";
import { type Dirent, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFile, NoLocksError } from "../../base/lock-file.js";

/** A folder for temporary files that no other user can read. */
export interface TemporaryFolder {
  readonly path: string;
  /** Removes it and everything in it. */
  remove(): void;
}

/**
 * Creates a folder, and removes those left by the user's killed processes. Each folder has a locked file beside it.
 * The kernel releases the lock when the process ends, so a folder without a lock has no owner. Process ids would not
 * do: they are reused, and mean little in containers. If files cannot be locked, old folders stay.
 * @param kind a word for its name
 * @param within the folder for temporary files
 */
export function temporaryFolder(kind: string, within = tmpdir()): TemporaryFolder {
  const prefix = `graphloom-${kind}-`;
  for (;;) {
    const path = join(within, `${prefix}${randomBytes(8).toString("hex")}`);
    const lock = locked(`${path}${ending}`);
    // Another process that cleans up may briefly hold the new lock.
    if (lock.kind === "held") continue;
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      lock.release();
      throw error;
    }
    removeLeft(prefix, within, lstatSync(path).uid);
    return {
      path,
      remove: () => {
        rmSync(path, { recursive: true, force: true });
        lock.release();
      },
    };
  }
}

const ending = ".lock";

/** Locks a file. If that is impossible, leaves no file, so that no process takes the folder for a leftover. */
function locked(file: string): { readonly kind: "held" } | { readonly kind: "ours"; release(): void } {
  try {
    return lockFile(file);
  } catch (error) {
    if (!(error instanceof NoLocksError)) throw error;
    rmSync(file, { force: true });
    return { kind: "ours", release: () => undefined };
  }
}

/** Removes a user's folders whose locks are free. A folder that cannot be removed is harmless and stays. */
function removeLeft(prefix: string, within: string, user: number): void {
  for (const { name } of entriesOf(within)) {
    if (!name.startsWith(prefix) || !name.endsWith(ending)) continue;
    const file = join(within, name);
    try {
      const found = lstatSync(file);
      if (!found.isFile() || found.uid !== user) continue;
      const lock = lockFile(file);
      if (lock.kind === "held") continue;
      rmSync(file.slice(0, -ending.length), { recursive: true, force: true });
      lock.release();
    } catch {
      // Another process was faster, or the file system has no locks.
    }
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Some systems do not allow listing the folder for temporary files.
    return [];
  }
}
