/**
 * The worker thread that runs PGlite. It needs a thread, because a statement in WebAssembly blocks everything else and
 * can only be stopped by ending the thread.
 */

import { parentPort, workerData } from "node:worker_threads";
import { gunzipSync, gzipSync } from "node:zlib";
import { PGlite, type QueryOptions } from "@electric-sql/pglite";
import { btree_gist } from "@electric-sql/pglite/contrib/btree_gist";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { present } from "../../../base/invariant.js";
import { messageOf } from "../../../base/text/message-of.js";
import { answerCalls, type PortCall } from "../../../base/turns/port-calls.js";
import type { SqlText } from "../database.js";
import { quoteName } from "../quote.js";
import type { PgliteCalls, PgliteFailure, PgliteMessage, PgliteStart } from "./messages.js";
import { othersBits } from "./private-files.js";

type Init = NodeFS["init"];

type Module = Parameters<NonNullable<Parameters<Init>[1]["preRun"]>[number]>[0];

/** The part of the file system that creates files for the WebAssembly program. */
interface FileMaker {
  readonly node_ops: {
    mknod(parent: object, name: string, mode: number, device: number): object;
    setattr(node: object, attributes: { readonly mode?: number }): void;
  };
}

/** A database folder whose files only their owner can access. PGlite requests mode 0666, whatever the umask is. */
class PrivateNodeFS extends NodeFS {
  override async init(...[pglite, options]: Parameters<Init>): ReturnType<Init> {
    const { emscriptenOpts } = await super.init(pglite, options);
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [withhold, ...(emscriptenOpts.preRun ?? [])] } };
  }
}

const port = present(parentPort, "pglite-worker runs as a worker thread only");
const { folder, image, logBytes }: PgliteStart = workerData;
/** Log files from before a checkpoint are deleted instead of kept for reuse. */
const logSize = ["-c", "min_wal_size=32MB", "-c", `max_wal_size=${Math.max(32, (2 * logBytes) >> 20)}MB`];

/** Values travel as text in both directions, whatever their type. Otherwise PGlite would convert the types it knows. */
function textOnly({ parsers, serializers }: PGlite): QueryOptions {
  const same = (value: string): string => value;
  const all = (known: object) => Object.fromEntries(Object.keys(known).map((type) => [type, same]));
  return { rowMode: "array", parsers: all(parsers), serializers: all(serializers) };
}

keepByteOrderMarks();
const opened = PGlite.create({
  ...(folder !== undefined && { fs: new PrivateNodeFS(folder) }),
  ...(image && { loadDataDir: new Blob([gunzipSync(image)]) }),
  extensions: { btree_gist },
  startParams: [...PGlite.defaultStartParams, ...logSize],
}).then((pglite) => {
  pglite.onNotification((channel, payload) => post({ channel, payload }));
  return { pglite, options: textOnly(pglite) };
});
// The call that opens the database reports a failure.
opened.catch(() => undefined);

function post(message: PgliteMessage): void {
  port.postMessage(message);
}

async function imageOf(pglite: PGlite): Promise<Uint8Array> {
  // Leaves nothing that every load would have to repeat.
  await pglite.exec("checkpoint");
  const files = await pglite.dumpDataDir("none");
  // The data is mostly zeros, so stronger compression would take longer and save little.
  return gzipSync(await files.arrayBuffer(), { level: 1 });
}

const calls: PgliteCalls = {
  open: async () => void (await opened),
  query: async (statement, parameters) => {
    const { pglite, options } = await opened;
    const { fields, rows } = await pglite.query<SqlText[]>(statement, [...parameters], options);
    return { columns: fields.map(({ name }) => name), rows };
  },
  run,
  listen: (channel) => run(`listen ${quoteName(channel)}`),
  unlisten: (channel) => run(`unlisten ${quoteName(channel)}`),
  image: async () => imageOf((await opened).pglite),
  close: async () => (await opened).pglite.close(),
};

async function run(script: string): Promise<void> {
  await (await opened).pglite.exec(script);
}

const answer = answerCalls(calls, post, (error, name): PgliteFailure => {
  const failure = encodeFailure(error);
  // If opening failed, later calls fail as well.
  return name === "open" ? { ...failure, isOver: true } : failure;
});

// Run one call at a time, because PGlite would let a later call overtake one that waits.
let last: Promise<void> = Promise.resolve();
port.on("message", (call: PortCall<PgliteCalls>) => {
  last = last.then(() => answer(call));
});

function encodeFailure(error: unknown): PgliteFailure {
  if (isSystemFailure(error)) return systemFailure(error.errno);
  if (!(error instanceof Error)) return { message: messageOf(error), isOver: false };
  const { code, hint, severity } = error as { code?: unknown; hint?: unknown; severity?: unknown };
  return {
    message: messageOf(error),
    ...(typeof code === "string" && { code }),
    ...(typeof hint === "string" && { hint }),
    // In WebAssembly nothing restarts PostgreSQL after a panic, so the next statement would wait forever.
    isOver: severity === "PANIC" || severity === "FATAL" || error.name === "RuntimeError",
  };
}

/** The WebAssembly file system does not throw instances of `Error`. */
function isSystemFailure(error: unknown): error is { readonly errno: number } {
  const { name, errno } = (error ?? {}) as { readonly name?: unknown; readonly errno?: unknown };
  return name === "ErrnoError" && typeof errno === "number";
}

/** WASI error numbers for an exceeded quota and a full disk. */
const fullCodes: readonly number[] = [19, 51];

function systemFailure(errno: number): PgliteFailure {
  if (fullCodes.includes(errno)) {
    return { message: "its folder has no space left", code: "53100", isOver: true };
  }
  return { message: `its folder cannot be used: WASI error ${errno}`, isOver: true };
}

/**
 * Makes strings keep a leading byte order mark. PGlite reads each value with a `TextDecoder`, which drops the mark by
 * default, so a string would change between write and read. Call this in PGlite's own thread before opening PGlite.
 */
function keepByteOrderMarks(): void {
  const Decoder = globalThis.TextDecoder;
  globalThis.TextDecoder = class extends Decoder {
    constructor(label?: string, options: ConstructorParameters<typeof Decoder>[1] = {}) {
      super(label, { ignoreBOM: true, ...options });
    }
  };
}

/** Makes a module create files for their owner only. */
function withhold(module: Module): void {
  const { node_ops: files }: FileMaker = module.NODEFS;
  const { mknod, setattr } = files;
  files.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~othersBits, device);
  files.setattr = (node, attributes) => {
    const { mode } = attributes;
    setattr(node, mode === undefined ? attributes : { ...attributes, mode: mode & ~othersBits });
  };
}
