import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/**
 * The owner of a lock: a process, distinct from later processes with its pid, and from processes on other machines.
 */
export interface Holder {
  readonly pid: number;
  /** Host name of the machine or container; absent in locks that contain only a pid. */
  readonly host?: string | undefined;
  /** Start time of the process in the system's own format; absent if unknown. */
  readonly started?: string | undefined;
  /** When the lock was taken, in milliseconds since the Unix epoch. */
  readonly since: number;
}

/** How long an owner of unknown state counts as alive, in milliseconds: longer than any project takes to write. */
const patience = 10 * 60_000;

export function ownHolder(): Holder {
  return { pid: process.pid, host: hostname(), started: startOf(process.pid), since: Date.now() };
}

/**
 * Parses the content of a lock.
 * @param written its modification time in milliseconds since the Unix epoch, the default for `since`
 * @returns `undefined` for anything else
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

/** Whether this process can determine if an owner is alive. If not, the owner counts as alive for a while. */
export function isCertain({ pid, host, started }: Holder): boolean {
  const isHere = host === undefined || host === hostname();
  return isHere && started !== undefined && startOf(pid) !== undefined;
}

/** Minutes until an owner of unknown state stops counting as alive. */
export function minutesLeft({ since }: Holder): number {
  return Math.max(1, Math.ceil((since + patience - Date.now()) / 60_000));
}

/**
 * Whether the owner of a lock is alive. On another machine, or with an unknown start time, it counts as alive for ten
 * minutes.
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

/** Whether any user has a process with this pid. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Start time of a process, with the system's boot id; `undefined` if unknown. */
function startOf(pid: number): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const status = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name, in parentheses, may contain anything; the 20th field after it is the start time.
    const ticks = status.slice(status.lastIndexOf(")") + 2).split(" ")[19];
    return ticks === undefined ? undefined : `${boot} ${ticks}`;
  } catch {
    return undefined;
  }
}
