import type { MessagePort } from "node:worker_threads";
import type { Files } from "../runtime/files/files.js";
import { Consumer } from "./consumer.js";
import type { Gateway } from "./gateway.js";
import type { HeadNotice, NodesReply, NodesRequest } from "./messages.js";

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
  const stop = gateway.onHead(() => port.postMessage({ kind: "head" } satisfies HeadNotice));
  port.on("close", stop);
  const consumer = new Consumer(asker);
  port.on("message", async (request: NodesRequest) => {
    const reply = await replyTo(request, consumer, gateway, files);
    port.postMessage(reply, transferable(reply));
  });
}

async function replyTo(
  request: NodesRequest,
  consumer: Consumer,
  gateway: Gateway,
  files: Files | undefined,
): Promise<NodesReply> {
  const { id } = request;
  try {
    if (request.kind === "rpc") {
      return { id, kind: "answered", ...(await gateway.answer(consumer, request.body)) };
    }
    return { id, kind: "file", bytes: await files?.read(request.path, request.milliseconds) };
  } catch (error) {
    return { id, kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

/** Bytes that have their memory for themselves are given away rather than copied. */
function transferable(reply: NodesReply): ArrayBuffer[] {
  if (reply.kind === "failed" || !reply.bytes) return [];
  const { buffer, byteLength } = reply.bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
