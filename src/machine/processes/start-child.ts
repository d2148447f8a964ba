import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { platform, setPriority } from "node:os";
import { type Duplex, PassThrough, type Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { reportFailure } from "../../base/failures.js";
import { guarded } from "../../base/turns/guarded.js";
import { temporaryFolder } from "../files/temporary-folder.js";
import { Channels } from "./channels.js";
import { controlChannel, type FromChild } from "./join-parent.js";

const mebibyte = 1_024;

/** A child process, and its limits. */
export interface ChildOptions {
  /** The module to run; it calls `joinParent`. */
  readonly script: URL;
  /** Its name in process lists. */
  readonly title: string;
  /** Megabytes of JavaScript's heap. */
  readonly heap: number;
  readonly memory: number;
}

export type ChildEnd =
  /** It ended by itself or we killed it: with an exit code, or by a signal. */
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  /** It exceeded its limit. */
  | { readonly kind: "out-of-memory"; readonly megabytes: number }
  | { readonly kind: "not-started"; readonly why: string }
  /** It was killed for sending something unreadable. */
  | { readonly kind: "misheard"; readonly error: unknown };

export interface Child {
  readonly channels: Channels;
  /** Resolves once the process and its temporary files are gone; never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** Its memory at the last check, in megabytes; `undefined` before the first check and after the end. */
  memory(): number | undefined;
  /** The end of its standard error. */
  lastWords(): string;
  /**
   * Gives other work on the machine priority.
   * @param nice from 0, this process's priority, to 19
   */
  standBack(nice: number): void;
  /** Kills the process at once. */
  kill(): void;
}

/** Milliseconds between memory checks of a child. */
const look = 100;
/** Megabytes of each half of the heap's young generation. */
const youngHeap = 8;
/** How many characters of a child's last output to keep. */
const mostWords = 16_384;

/**
 * The environment variables that Node.js itself needs: its libraries, its certificates, and the time zone. All others
 * may be secret.
 */
const passed = ["LD_LIBRARY_PATH", "NODE_EXTRA_CA_CERTS", "SystemRoot", "TZ"];

/**
 * Starts a process with its own memory limit. Its failures do not affect this process, and it ends with this process.
 */
export function startChild({ script, title, heap, memory }: ChildOptions): Child {
  // We hold the folder's lock: a child ends with its parent.
  const folder = temporaryFolder("child");
  const kept = passed.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heap}`, `--max-semi-space-size=${youngHeap}`, fileURLToPath(script), title],
    {
      // Leaves out NODE_OPTIONS, which would pass on flags such as loaders or the inspector.
      env: { ...Object.fromEntries(kept), TMPDIR: folder.path, TEMP: folder.path, TMP: folder.path },
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      windowsHide: true,
    },
  );
  const [, , errors, connection] = pipesOf(child);
  let excess: ChildEnd | undefined;
  const kill = (): void => void child.kill("SIGKILL");
  const channels = new Channels(connection, "parent", (error) => {
    excess ??= { kind: "misheard", error };
    kill();
  });
  let said = "";
  // Its output matters only if it ends by itself.
  errors.on("error", () => undefined);
  errors.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-mostWords);
  });
  let latest: number | undefined;
  const judge = (megabytes: number): void => {
    latest = megabytes;
    if (megabytes <= memory) return;
    excess ??= { kind: "out-of-memory", megabytes: memory };
    kill();
  };
  channels.open(controlChannel).on("message", ({ used }: FromChild) => judge(used));
  const timer = setInterval(
    guarded(async () => {
      const used = child.pid === undefined ? undefined : await usedMemory(child.pid);
      if (used !== undefined && child.exitCode === null && child.signalCode === null) judge(used);
    }, reportFailure),
    look,
  );
  const leave = async (code: number | null, signal: NodeJS.Signals | null): Promise<ChildEnd> => {
    clearInterval(timer);
    latest = undefined;
    // The last output may still be in the pipe.
    if (!errors.closed) await once(errors, "close").catch(() => undefined);
    const isHeapFull = signal === "SIGABRT" && /heap out of memory|heap limit/i.test(said);
    if (isHeapFull) excess ??= { kind: "out-of-memory", megabytes: heap };
    return excess ?? { kind: "exited", code, signal };
  };
  const exited = new Promise<ChildEnd>((resolve) => {
    // A running process emits errors too, such as a failed kill.
    child.on("error", ({ message }) => {
      if (child.pid === undefined) resolve({ kind: "not-started", why: message });
    });
    child.once(
      "exit",
      guarded(
        async (code: number | null, signal: NodeJS.Signals | null) => resolve(await leave(code, signal)),
        (error) => resolve({ kind: "misheard", error }),
      ),
    );
  });
  const ended = exited.then((end) => {
    clearInterval(timer);
    connection.destroy();
    try {
      folder.remove();
    } catch {
      // We hold its lock until we end; the next process removes it.
    }
    return end;
  });
  return {
    channels,
    ended,
    memory: () => latest,
    lastWords: () => said.trim(),
    kill,
    standBack: (nice) => {
      // An ended process's id may belong to another process.
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        standBack(child.pid, nice);
    },
  };
}

/** The pipes to a child. Node.js creates none for a process that it cannot start because too many files are open. */
function pipesOf({ stdio }: Pick<ChildProcess, "stdio">): readonly [unknown, unknown, Readable, Duplex] {
  const pipes: readonly unknown[] | undefined = stdio;
  if (!pipes) return [null, null, new PassThrough(), new PassThrough()];
  return pipes as readonly [unknown, unknown, Readable, Duplex];
}

function standBack(pid: number, nice: number): void {
  try {
    for (const thread of threadsOf(pid)) setPriority(thread, nice);
  } catch {
    // It has already ended, or the system does not allow this. It keeps its priority.
  }
}

/** On Linux, each thread has its own priority, and passes it on to threads that it starts later. */
function threadsOf(pid: number): readonly number[] {
  return platform() === "linux" ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
}

/**
 * The resident and swapped memory of a process.
 * @returns megabytes; `undefined` if the system has no `/proc`, or the process does not exist
 */
async function usedMemory(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => undefined);
  const resident = kilobytesIn(status, "VmRSS");
  return resident === undefined ? undefined : (resident + (kilobytesIn(status, "VmSwap") ?? 0)) / mebibyte;
}

function kilobytesIn(status: string | undefined, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status ?? "")?.[1];
  return found === undefined ? undefined : Number(found);
}
