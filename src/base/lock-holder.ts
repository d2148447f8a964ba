import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { pid } from "node:process";
import { isRecord } from "./text/json-value.js";
import { visible } from "./text/visible.js";

/** A process that holds a lock, as it identifies itself to refused processes. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** The namespace of the process id; `null` where ids are unique on the whole machine. */
  readonly namespace: string | null;
  readonly since: Date;
}

/** A holder in JSON form. */
export interface HolderNote {
  readonly process: Omit<LockHolder, "since">;
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
}

/** This process, in JSON form. The caller adds the time. */
export function thisProcess(): Omit<LockHolder, "since"> {
  return { pid, host: hostname(), namespace: namespaceOf() };
}

/** Reads the JSON form of `thisProcess`; `undefined` if it or the time is invalid. */
export function readHolder(read: unknown, since: Date): LockHolder | undefined {
  if (!isRecord(read) || !Number.isSafeInteger(read.pid) || Number.isNaN(since.getTime())) return undefined;
  const { host, namespace } = read;
  return {
    pid: Number(read.pid),
    host: String(host),
    since,
    namespace: typeof namespace === "string" ? namespace : null,
  };
}

export function holderNote({ since, ...process }: LockHolder): HolderNote {
  return { process, since: since.getTime() };
}

/** A holder from its JSON note; `undefined` without a valid note, as with earlier versions. */
export function readHolderNote(note: unknown): LockHolder | undefined {
  return isRecord(note) ? readHolder(note.process, new Date(Number(note.since))) : undefined;
}

/** Whether two holders are the same run of the same process. */
export function isSameHolder(one: LockHolder, other: LockHolder): boolean {
  return (
    one.pid === other.pid &&
    one.host === other.host &&
    one.namespace === other.namespace &&
    one.since.getTime() === other.since.getTime()
  );
}

/** Whether a holder's process id means a process here, rather than on another machine or in another container. */
export function isHere({ host, namespace }: Omit<LockHolder, "since">): boolean {
  const own = thisProcess();
  return host === own.host && namespace === own.namespace;
}

/** `process 12`, or `process 12 on another machine or in another container (host), since 2026-…`. */
export function holderText(holder: LockHolder | undefined): string {
  if (!holder) return "another process";
  if (isHere(holder)) return `process ${holder.pid}`;
  const since = holder.since.toISOString();
  return `process ${holder.pid} on another machine or in another container (${visible(holder.host)}), since ${since}`;
}

/** `process 12 on web-1, since 2026-…`: for a lock that machines share, so that the host says which of them. */
export function holderOnHost(holder: LockHolder): string {
  const isOtherContainer = holder.host === hostname() && !isHere(holder);
  const where = `${visible(holder.host)}${isOtherContainer ? " in another container" : ""}`;
  return `process ${holder.pid} on ${where}, since ${holder.since.toISOString()}`;
}

/** The namespace of process ids, because every container counts them from 1. */
function namespaceOf(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // Only Linux has such namespaces.
    return null;
  }
}
