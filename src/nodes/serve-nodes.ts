import { reportFailure } from "../base/failures.js";
import { guarded } from "../base/guarded.js";
import { messageOf } from "../base/message-of.js";
import type { Port } from "../base/port.js";
import { answerCalls } from "../base/port-calls.js";
import type { Files } from "../runtime/files/files.js";
import { Consumer } from "./consumer.js";
import type { Gateway } from "./gateway.js";
import type { NodesCalls, NodesMessage } from "./messages.js";

/**
 * Serves the nodes of a network to a thread and reports new heads, until the thread closes its end of the port.
 * @param asker the name under which it takes turns
 */
export function serveNodes(asker: string, gateway: Gateway, files: Files | undefined, port: Port): void {
  const post = (message: NodesMessage): void => port.postMessage(message, transferable(message));
  port.on(
    "close",
    guarded(
      gateway.onHead(() => post("head")),
      reportFailure,
    ),
  );
  const consumer = new Consumer(asker);
  const calls: NodesCalls = {
    rpc: (body) => gateway.answer(consumer, body),
    file: async (path, milliseconds) => files?.read(path, milliseconds),
  };
  port.on("message", answerCalls(calls, post, messageOf));
}

/** Bytes in their own memory are transferred instead of copied. */
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
