import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Who has a lock: a process, told apart from those that get its number later or have it on another machine. */
export interface Holder {
  readonly pid: number;
  /** Name of the machine or container; nothing in locks that say no more than a number. */
  readonly host?: string | undefined;
  /** When the process began, in the system's own words; nothing where the system does not tell. */
  readonly started?: string | undefined;
  /** When the lock was taken, in milliseconds since 1970. */
  readonly since: number;
}

/** For how long a holder counts as alive of whom nothing can be known: longer than any project takes to be written. */
const patience = 10 * 60_000;

/** This process as a holder, from now on. */
export function ownHolder(): Holder {
  return { pid: process.pid, host: hostname(), started: startOf(process.pid), since: Date.now() };
}

/**
 * Reads what a lock says.
 * @param written when it was written, in milliseconds since 1970, in case that it does not say so
 * @returns nothing for what is no lock
 */
export function parseHolder(text: string, written: number): Holder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { pid, host, started, since } = (typeof value === "object" && value ? value : { pid: value }) as {
    readonly [key in keyof Holder]: unknown;
  };
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return {
    pid,
    host: typeof host === "string" ? host : undefined,
    started: typeof started === "string" ? started : undefined,
    since: typeof since === "number" ? since : written,
  };
}

/** Whether it can be told of a holder that it runs, or else it is only believed for a while. */
export function isCertain({ pid, host, started }: Holder): boolean {
  const isHere = host === undefined || host === hostname();
  return isHere && started !== undefined && startOf(pid) !== undefined;
}

/** Minutes that are left until a holder is not believed any more of whom nothing can be known. */
export function minutesLeft({ since }: Holder): number {
  return Math.max(1, Math.ceil((since + patience - Date.now()) / 60_000));
}

/**
 * Whether a holder still runs. On another machine, or where a system does not say when its processes began, nobody
 * knows: then it is believed for ten minutes.
 */
export function isAlive(holder: Holder): boolean {
  if (holder.host !== undefined && holder.host !== hostname()) return isRecent(holder);
  if (!isRunning(holder.pid)) return false;
  const started = startOf(holder.pid);
  if (started === undefined || holder.started === undefined) return isRecent(holder);
  return started === holder.started;
}

function isRecent({ since }: Holder): boolean {
  return Math.abs(Date.now() - since) < patience;
}

/** Whether there is a process of this number, whoever it belongs to. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** When a process began, counted from a start of the system that is named, too; nothing where that is not told. */
function startOf(pid: number): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const status = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program, in brackets, may hold anything; the 20th word after it is the time.
    const ticks = status.slice(status.lastIndexOf(")") + 2).split(" ")[19];
    return ticks === undefined ? undefined : `${boot} ${ticks}`;
  } catch {
    return undefined;
  }
}
