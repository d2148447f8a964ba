import { setMaxListeners } from "node:events";
import { reportFailure } from "../base/failures.js";
import { messageOf } from "../base/text/message-of.js";
import { guarded } from "../base/turns/guarded.js";
import type { Port } from "../base/turns/port.js";
import { answerCalls } from "../base/turns/port-calls.js";
import type { Files } from "../runtime/files/files.js";
import type { Asker } from "./asker.js";
import { Consumer } from "./consumer.js";
import type { Gateway } from "./gateway.js";
import type { NodesCalls, NodesMessage } from "./messages.js";

/**
 * Serves a network's nodes to a thread or process and reports new heads, until the other end of the port closes.
 * Drops requests not yet sent to a node by then.
 * @param asker takes turns for the thread
 */
export function serveNodes(asker: Asker, gateway: Gateway, files: Files | undefined, port: Port): void {
  const post = (message: NodesMessage): void => port.postMessage(message, transferable(message));
  const ended = new AbortController();
  // Every request adds a listener.
  setMaxListeners(0, ended.signal);
  const stop = gateway.onHead(() => post("head"));
  const end = (): void => {
    stop();
    ended.abort();
  };
  port.on("close", guarded(end, reportFailure));
  const consumer = new Consumer(asker);
  const calls: NodesCalls = {
    rpc: (body) => gateway.answer(consumer, body, ended.signal),
    file: async (path, milliseconds) => files?.read(path, milliseconds),
  };
  port.on("message", answerCalls(calls, post, messageOf));
}

/** Transfers bytes that have their own memory instead of copying them. */
function transferable(message: NodesMessage): ArrayBuffer[] {
  const bytes = bytesIn(message);
  const isWhole = bytes?.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength;
  return isWhole ? [bytes.buffer as ArrayBuffer] : [];
}

function bytesIn(message: NodesMessage): Uint8Array | undefined {
  if (message === "head" || "failure" in message) return undefined;
  const { result } = message;
  if (result instanceof Uint8Array) return result;
  const { bytes } = (result ?? {}) as { readonly bytes?: unknown };
  return bytes instanceof Uint8Array ? bytes : undefined;
}
