import { spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import type { Duplex, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../temporary-folder.js";
import { Channels } from "./channels.js";
import { controlChannel, type FromChild } from "./join-parent.js";
import { usedMemory } from "./used-memory.js";

/** What a child process is, and what it may use. */
export interface ChildOptions {
  /** The module that it runs, which calls `joinParent`. */
  readonly script: URL;
  /** What lists of processes show of it. */
  readonly title: string;
  /** Megabytes of JavaScript's heap. */
  readonly heap: number;
  /** Megabytes of memory in all. */
  readonly memory: number;
  /** How far it stands back when the machine is busy: 0 as this process, up to 19. */
  readonly nice?: number;
}

/** How a child process ended. */
export type ChildEnd =
  /** By itself, or because it was killed by us: with an exit code, or by a signal. */
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  /** It used more than so many megabytes. */
  | { readonly kind: "out-of-memory"; readonly megabytes: number }
  | { readonly kind: "not-started"; readonly why: string };

/** A child process. */
export interface Child {
  readonly channels: Channels;
  /** Resolves once it is gone with its temporary files; never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** Megabytes of memory that it used when it was looked at last; `undefined` before that, and once it is gone. */
  memory(): number | undefined;
  /** Ends it at once. */
  kill(): void;
}

/** Milliseconds between two looks at the memory of a child. */
const look = 100;
/** Megabytes of each half of the heap for young objects. */
const youngHeap = 8;
/** Characters of what a child says last that are kept. */
const lastWords = 16_384;

/**
 * What Node.js itself needs of the environment: where its libraries and certificates are, and the time zone. All else may
 * be secret, and is no business of the child.
 */
const passed = ["LD_LIBRARY_PATH", "NODE_EXTRA_CA_CERTS", "SystemRoot", "TZ"];

/** Starts a process whose memory is limited and whose failures are its own. It ends when this process does. */
export function startChild({ script, title, heap, memory, nice = 0 }: ChildOptions): Child {
  // The lock of the folder is ours, since a child ends with its parent.
  const folder = temporaryFolder("child");
  const kept = passed.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heap}`, `--max-semi-space-size=${youngHeap}`, fileURLToPath(script), title],
    {
      // No flags of this process, such as loaders or the inspector, which NODE_OPTIONS would pass on.
      env: { ...Object.fromEntries(kept), TMPDIR: folder.path, TEMP: folder.path, TMP: folder.path },
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      windowsHide: true,
    },
  );
  if (child.pid !== undefined) standBack(child.pid, nice);
  const [, , errors, connection] = child.stdio as unknown as [null, null, Readable, Duplex];
  const channels = new Channels(connection, "parent");
  let said = "";
  errors.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-lastWords);
  });
  let excess: ChildEnd | undefined;
  const kill = (): void => void child.kill("SIGKILL");
  let latest: number | undefined;
  const judge = (megabytes: number): void => {
    latest = megabytes;
    if (megabytes <= memory) return;
    excess ??= { kind: "out-of-memory", megabytes: memory };
    kill();
  };
  channels.open(controlChannel).on("message", ({ used }: FromChild) => judge(used));
  const timer = setInterval(async () => {
    const used = child.pid === undefined ? undefined : await usedMemory(child.pid);
    if (used !== undefined && child.exitCode === null && child.signalCode === null) judge(used);
  }, look);
  const exited = new Promise<ChildEnd>((resolve) => {
    child.once("error", ({ message }) => resolve({ kind: "not-started", why: message }));
    child.once("exit", async (code, signal) => {
      clearInterval(timer);
      latest = undefined;
      // What it has said last may still be on its way.
      if (!errors.closed) await once(errors, "close");
      const isHeapFull = signal === "SIGABRT" && /heap out of memory|heap limit/i.test(said);
      if (isHeapFull) excess ??= { kind: "out-of-memory", megabytes: heap };
      resolve(excess ?? { kind: "exited", code, signal });
    });
  });
  const ended = exited.then(async (end) => {
    clearInterval(timer);
    connection.destroy();
    try {
      folder.remove();
    } catch {
      // Its lock is ours until we end; whoever starts afterwards removes it.
    }
    return end;
  });
  return { channels, ended, memory: () => latest, kill };
}

/** Lets other work of the machine go first. */
function standBack(pid: number, nice: number): void {
  try {
    setPriority(pid, nice);
  } catch {
    // It has ended already, or this system does not allow it. It then competes as an equal.
  }
}
