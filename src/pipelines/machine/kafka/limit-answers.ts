import { subscribe } from "node:diagnostics_channel";
import { reportFailure } from "../../../base/failures.js";
import { guarded } from "../../../base/turns/guarded.js";

/** The most bytes of an answer. Brokers send less, unless a topic allows larger batches of records. */
const mostBytes = 128 * 1024 * 1024;

/** What `@platformatic/kafka` publishes when it has begun to connect. */
const connecting = "tracing:plt:kafka:connections:connects:end";

/** Why answers were refused, by the client that had asked, as the rest of a sentence. */
const refusals = new Map<unknown, string>();
const watched = new WeakSet<Socket>();
let isSubscribed = false;

/**
 * From now on, closes connections of Kafka's clients whose other side announces an answer that is too long. The client
 * itself would collect it in memory until its request has timed out.
 */
export function limitAnswers(): void {
  if (isSubscribed) return;
  isSubscribed = true;
  subscribe(connecting, guarded(watch, reportFailure));
}

function watch(message: unknown): void {
  const { connection, host, port } = message as Connecting;
  const socket = connection?.socket;
  if (!socket || watched.has(socket)) return;
  watched.add(socket);
  // Without its lengths, the connection is not bounded.
  const fail = (error: unknown): void => {
    reportFailure(error);
    socket.destroy();
  };
  socket.on("data", guarded(limited(socket, `${host}:${port}`, connection?.ownerId), fail));
}

/** Takes the reason why an answer to one of the clients was refused; `undefined` if none was. */
export function takeRefusal(clients: readonly { readonly instanceId?: unknown }[]): string | undefined {
  for (const { instanceId } of clients) {
    const found = refusals.get(instanceId);
    refusals.delete(instanceId);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The used part of a socket. */
interface Socket {
  on(event: "data", listener: (bytes: Buffer) => void): unknown;
  destroy(): unknown;
}

interface Connecting {
  readonly connection?: { readonly socket?: Socket; readonly ownerId?: unknown };
  readonly host?: string;
  readonly port?: number;
}

/** Follows the lengths of answers, each of which is four bytes before the answer. */
function limited(socket: Socket, place: string, client: unknown): (bytes: Buffer) => void {
  let left = 0;
  let length = 0;
  let read = 0;
  return (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      if (left > 0) {
        const skipped = Math.min(left, bytes.length - at);
        left -= skipped;
        at += skipped;
        continue;
      }
      length = length * 256 + (bytes[at] ?? 0);
      at += 1;
      read += 1;
      if (read < 4) continue;
      if (length > mostBytes) {
        refusals.set(client, `${place} announces an answer of ${length} bytes, so it may not be a broker`);
        socket.destroy();
        return;
      }
      [left, length, read] = [length, 0, 0];
    }
  };
}
