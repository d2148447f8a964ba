import { type LockResult, lockFile, NoLocksError } from "../../../base/lock-file.js";
import { holderText, isHere, type LockHolder } from "../../../base/lock-holder.js";
import { visible } from "../../../base/text/visible.js";
import { DatabaseError } from "../database.js";

/**
 * Locks a folder until the returned function is called or this process ends.
 * @param folder for messages
 * @param file the lock; see `lockFile`
 * @throws DatabaseError when another process holds it; errors of the file system
 */
export function lockFolder(folder: string, file: string): () => void {
  const lock = lockOrExplain(folder, file);
  if (lock.kind === "held") throw inUse(folder, lock.holder);
  return lock.release;
}

function lockOrExplain(folder: string, file: string): LockResult {
  try {
    return lockFile(file);
  } catch (cause) {
    if (!(cause instanceof NoLocksError)) throw cause;
    if (cause.where === "system")
      throw new DatabaseError(cause.message, {
        hint: "Use a database on a PostgreSQL server: postgres://user:password@host/database.",
        cause,
      });
    throw new DatabaseError(
      `${visible(folder)} is on a file system that cannot lock files: ${String(cause.cause)}`,
      {
        hint: "Choose a folder on a local disk, or use a database on a PostgreSQL server.",
        cause,
      },
    );
  }
}

function inUse(folder: string, holder: LockHolder | undefined): DatabaseError {
  const hint =
    holder && isHere(holder)
      ? "Stop that process, or choose another folder."
      : "Stop that process first: only one server can use a folder. Several servers can share a database on a PostgreSQL server.";
  return new DatabaseError(`the database in ${visible(folder)} is in use by ${holderText(holder)}`, { hint });
}
