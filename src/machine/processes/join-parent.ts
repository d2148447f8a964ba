import { rmSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { basename } from "node:path";
import { type Fail, guarded } from "../../base/turns/guarded.js";
import { Channels } from "./channels.js";

/** The prefix of a child's folder for temporary files. */
const childFolder = "graphloom-child-";
/** The channel for messages that do not depend on the child's purpose. */
export const controlChannel = 0;

/** A child's reports about itself. */
export interface FromChild {
  /** Megabytes of memory that it uses. */
  readonly used: number;
}

/** The file descriptor of the connection to the parent. */
const descriptor = 3;
/** Milliseconds between memory reports. */
const beat = 250;

/**
 * Connects a process that `startChild` has started with its parent. The process ends when its parent is gone. It
 * ignores all signals that can be ignored: a terminal or service manager sends them to all processes, but the parent
 * decides.
 * @param fail receives the reason if the child cannot continue after an uncaught failure; the parent then ends it
 */
export function joinParent(fail: Fail): Channels {
  process.on("uncaughtException", fail);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  const connection = new Socket({ fd: descriptor, readable: true, writable: true });
  connection.once("close", leave);
  const channels = new Channels(connection, "child", fail);
  if (process.platform === "linux") volunteer();
  else {
    const control = channels.open(controlChannel);
    const report = (): void =>
      control.postMessage({ used: process.memoryUsage.rss() / 1_048_576 } satisfies FromChild);
    setInterval(guarded(report, fail), beat);
  }
  return channels;
}

/** Makes the kernel kill this process first if the machine runs out of memory. */
function volunteer(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Some containers forbid this, but the parent watches the memory anyway.
  }
}

function leave(): void {
  try {
    const folder = tmpdir();
    if (basename(folder).startsWith(childFolder)) rmSync(folder, { recursive: true, force: true });
  } finally {
    process.exit();
  }
}
