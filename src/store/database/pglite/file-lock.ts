import { createRequire } from "node:module";
import { arch, platform } from "node:process";
import { DatabaseError } from "../database.js";

/** A lock that the kernel ties to an open file and releases with the process. Node itself has no such lock. */
interface Locks {
  /** Whether the lock was free; it is that of the open file from then on. */
  tryLock(file: number, offset: number, length: number): boolean;
}

/** Of the byte that is locked: far behind what a file holds, since Windows lets nobody read what is locked. */
const place = 2 ** 40;

/**
 * Locks an open file against all others who have opened it: in this process, in other processes and containers, and on
 * other machines where the file system passes locks on. The lock ends when the file is closed, at the latest with the
 * process, however that ends.
 * @param file its descriptor, open for writing
 * @returns whether it was free
 * @throws DatabaseError when there are no such locks on this system; errors of the file system
 */
export function lockFile(file: number): boolean {
  return locks().tryLock(file, place, 1);
}

function locks(): Locks {
  try {
    return createRequire(import.meta.url)("fs-native-extensions");
  } catch (cause) {
    throw new DatabaseError(`this system cannot lock files (${platform} ${arch}): ${String(cause)}`, {
      hint: "Use a database on a PostgreSQL server: postgres://user:password@host/database.",
      cause,
    });
  }
}
