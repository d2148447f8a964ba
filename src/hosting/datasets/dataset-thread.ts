import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { messageOf } from "../../base/text/message-of.js";
import type { ArchiveFiles } from "../../datasets/archive/archive-files.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import { serveArchive } from "../embedded/archive-port.js";
import type { FileEnd, FileStart, WantedFile } from "./messages.js";

/** The start options of a thread. */
export interface DatasetThreadOptions {
  readonly verify: VerifyMode;
  readonly mostBytes: number;
  readonly patience: number;
  readonly nodeName: string;
  readonly archive: ArchiveFiles | undefined;
  /** Receives the system's message when the archive's files cannot be used. */
  readonly onArchiveFailure: (why: string) => void;
  /** Serves the nodes to the other end of a port. */
  serveNodes(port: MessagePort): void;
}

/** The outcome of the work on a file: the thread's own result, out of memory, or aborted by the signal. */
export type ThreadOutcome = FileEnd | { readonly kind: "out-of-memory" } | { readonly kind: "stopped" };

/** Megabytes of a thread's JavaScript heap. */
const memory = 512;

/**
 * Creates a file in a separate thread.
 * @param signal ends the thread and all of its work
 */
export async function fileInThread(
  wanted: WantedFile,
  { verify, mostBytes, patience, nodeName, archive, onArchiveFailure, serveNodes }: DatasetThreadOptions,
  signal: AbortSignal,
): Promise<ThreadOutcome> {
  if (signal.aborted) return { kind: "stopped" };
  const nodes = new MessageChannel();
  serveNodes(nodes.port1);
  const kept = archive && new MessageChannel();
  if (archive && kept) serveArchive(archive, kept.port1, onArchiveFailure);
  const start: FileStart = {
    wanted,
    verify,
    mostBytes,
    patience,
    nodeName,
    nodes: nodes.port2,
    archive: kept?.port2,
  };
  const worker = new Worker(new URL("./dataset-worker.js", import.meta.url), {
    workerData: start,
    transferList: [nodes.port2, ...(kept ? [kept.port2] : [])],
    // Do not pass on the parent's flags, such as loaders or the inspector.
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memory, maxYoungGenerationSizeMb: 16 },
    name: `${wanted.network} ${wanted.kind}`,
  });
  const stop = (): void => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await new Promise<ThreadOutcome>((resolve) => {
      worker.once("message", (end: FileEnd) => resolve(end));
      worker.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ERR_WORKER_OUT_OF_MEMORY") resolve({ kind: "out-of-memory" });
        else resolve({ kind: "failed", why: messageOf(error) });
      });
      worker.once("exit", () =>
        resolve(signal.aborted ? { kind: "stopped" } : { kind: "failed", why: "its thread ended" }),
      );
    });
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
