import { totalmem } from "node:os";
import { type MemoryGuard, ShortOfMemoryError } from "../../base/turns/memory-guard.js";

const mebibyte = 1_048_576;
/** The share of the limit above which heavy work is refused, since running work still grows. */
const enough = 0.85;

/** A memory guard that also counts child processes. */
export interface ProcessMemoryGuard extends MemoryGuard {
  /** Counts more processes. @param megabytes returns their current use */
  add(megabytes: () => number): void;
}

/** The memory that this process and its children may use: the machine's memory, or the control group's limit. */
export function machineMemory(): number {
  const allowed = process.constrainedMemory();
  return allowed > 0 && allowed < totalmem() ? allowed : totalmem();
}

/** Creates the guard of this process. @param limit bytes */
export function createMemoryGuard(limit = machineMemory()): ProcessMemoryGuard {
  const others: (() => number)[] = [];
  const used = (): number =>
    process.memoryUsage.rss() + others.reduce((sum, megabytes) => sum + megabytes(), 0) * mebibyte;
  return {
    limit,
    used,
    require() {
      if (used() > limit * enough) throw new ShortOfMemoryError();
    },
    add: (megabytes) => void others.push(megabytes),
  };
}
