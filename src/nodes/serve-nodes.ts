import type { MessagePort } from "node:worker_threads";
import { answerCalls } from "../base/port-calls.js";
import type { Files } from "../runtime/files/files.js";
import { Consumer } from "./consumer.js";
import type { Gateway } from "./gateway.js";
import type { NodesCalls, NodesMessage } from "./messages.js";

/**
 * Lets a thread ask the nodes of a network, and tells it of new heads, until its end of the port is closed.
 * @param asker whose turn it is to be when it asks
 */
export function serveNodes(
  asker: string,
  gateway: Gateway,
  files: Files | undefined,
  port: MessagePort,
): void {
  const post = (message: NodesMessage): void => port.postMessage(message, transferable(message));
  port.on(
    "close",
    gateway.onHead(() => post("head")),
  );
  const consumer = new Consumer(asker);
  const calls: NodesCalls = {
    rpc: (body) => gateway.answer(consumer, body),
    file: async (path, milliseconds) => files?.read(path, milliseconds),
  };
  port.on(
    "message",
    answerCalls(calls, post, (error) => (error instanceof Error ? error.message : String(error))),
  );
}

/** Bytes that have their memory for themselves are given away rather than copied. */
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
