import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { arch, platform } from "node:process";
import { ofFile } from "./disk-trouble.js";
import { type LockHolder, readHolder, thisProcess } from "./lock-holder.js";

/**
 * A lock that is ours until it is released, or that another process holds; `undefined` if that process has not
 * identified itself.
 */
export type LockResult =
  | { readonly kind: "ours"; release(): void }
  | { readonly kind: "held"; readonly holder: LockHolder | undefined };

/** Files cannot be locked on this system, or on this file system. */
export class NoLocksError extends Error {
  override readonly name = "NoLocksError";
  readonly where: "system" | "file system";

  constructor(where: "system" | "file system", message: string, cause: unknown) {
    super(message, { cause });
    this.where = where;
  }
}

/**
 * Locks a file until it is released or this process ends, however that ends. The kernel holds the lock, so it
 * also excludes processes in other containers, and on other machines where the file system passes locks on.
 * The file's contents are only for messages.
 * @param file exists as long as a process holds the lock, and may be left behind; its folder must exist
 * @throws NoLocksError; errors of the file system
 */
export function lockFile(file: string): LockResult {
  const lock = hold(file);
  if (lock === undefined) return { kind: "held", holder: holderOf(file) };
  let isHeld = true;
  const release = (): void => {
    if (!isHeld) return;
    isHeld = false;
    // Keep this order: a process that has already opened the file then sees that it is no longer the file of that name.
    rmSync(file, { force: true });
    closeSync(lock);
  };
  try {
    ftruncateSync(lock);
    writeSync(lock, JSON.stringify(thisProcess()), 0);
  } catch (error) {
    // On a full disk, this process would keep itself out for as long as it runs.
    release();
    ofFile(file)(error);
  }
  return { kind: "ours", release };
}

/** @returns the descriptor of the locked file; `undefined` if another process holds it */
function hold(file: string): number | undefined {
  for (;;) {
    const lock = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    let isOurs = false;
    try {
      if (!tryLock(lock)) return undefined;
      isOurs = isNamed(file, lock);
      if (isOurs) return lock;
    } finally {
      if (!isOurs) closeSync(lock);
    }
  }
}

/** The offset of the locked byte: far beyond the file's content, since Windows forbids reading locked bytes. */
const place = 2 ** 40;

/** A lock that the kernel ties to an open file and releases with the process. Node itself has no such lock. */
interface Locks {
  /** Whether the lock was free; the open file holds it from then on. */
  tryLock(file: number, offset: number, length: number): boolean;
}

function tryLock(file: number): boolean {
  const known = locks();
  try {
    return known.tryLock(file, place, 1);
  } catch (cause) {
    throw new NoLocksError("file system", `its file system cannot lock files: ${String(cause)}`, cause);
  }
}

function locks(): Locks {
  try {
    return createRequire(import.meta.url)("fs-native-extensions");
  } catch (cause) {
    const why = `this system cannot lock files (${platform} ${arch}): ${String(cause)}`;
    throw new NoLocksError("system", why, cause);
  }
}

/** Whether an open file is still the file of that name. Its earlier holder may have removed it in the meantime. */
function isNamed(file: string, lock: number): boolean {
  const named = statSync(file, { bigint: true, throwIfNoEntry: false });
  const open = fstatSync(lock, { bigint: true });
  return named?.ino === open.ino && named.dev === open.dev;
}

/** Returns `undefined` if the file cannot be read or is not written yet. */
function holderOf(file: string): LockHolder | undefined {
  try {
    return readHolder(JSON.parse(readFileSync(file, "utf8")), statSync(file).mtime);
  } catch {
    return undefined;
  }
}
