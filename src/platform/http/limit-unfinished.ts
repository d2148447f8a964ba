import type { FastifyInstance, FastifyRequest } from "fastify";
import { reportFailure } from "../../base/failures.js";
import { guarded } from "../../base/guarded.js";

type Socket = FastifyRequest["socket"];

/** Connections of one address whose request has not arrived whole. A browser opens six. */
const most = 100;
/** Milliseconds that the headers of a request may take to arrive. */
export const longestHeaders = 20_000;

/**
 * Limits the connections of each address whose request has not arrived whole: which have sent nothing, a part of the
 * headers, or a part of a body. The oldest give way to new ones. What has arrived and only waits for the server does not
 * count.
 * @param proxies addresses that send the requests of many clients, and have no limit
 */
export function limitUnfinished(app: FastifyInstance, proxies: readonly string[] = []): void {
  /** By address, the connections in the order of their age, each with the request whose body is under way. */
  const byAddress = new Map<string, Map<Socket, FastifyRequest["raw"] | undefined>>();
  const addresses = new WeakMap<Socket, string>();
  const crowded = new Set<string>();
  const finish = (socket: Socket): void => {
    const address = addresses.get(socket) ?? "";
    const unfinished = byAddress.get(address);
    unfinished?.delete(socket);
    if (unfinished?.size === 0) byAddress.delete(address);
  };
  const judge = (address: string): void => {
    crowded.delete(address);
    const waiting = [...(byAddress.get(address) ?? [])].filter(
      ([, request]) => !request || isAwaited(request),
    );
    for (const [socket] of waiting.slice(0, Math.max(0, waiting.length - most))) {
      finish(socket);
      socket.destroy();
    }
  };
  const begin = (socket: Socket, request?: FastifyRequest["raw"]): void => {
    const address = addresses.get(socket);
    if (address === undefined) return;
    const unfinished = byAddress.get(address) ?? new Map();
    byAddress.set(address, unfinished.set(socket, request));
    if (unfinished.size <= most || crowded.has(address)) return;
    crowded.add(address);
    afterReading(() => judge(address));
  };
  const connected = (socket: Socket): void => {
    const address = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
    if (proxies.includes(address)) return;
    addresses.set(socket, address);
    begin(socket);
    socket.once(
      "close",
      guarded(() => finish(socket), reportFailure),
    );
  };
  const requested = (request: FastifyRequest["raw"]): void => {
    const { socket, headers } = request;
    finish(socket);
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    if (!hasBody) return;
    begin(socket, request);
    request.once(
      "end",
      guarded(() => finish(socket), reportFailure),
    );
  };
  app.server.on("connection", guarded(connected, reportFailure));
  app.server.on("request", guarded(requested, reportFailure));
}

/** Whether the server waits for the rest of a body, and not the client for the server. */
function isAwaited(request: FastifyRequest["raw"]): boolean {
  return !request.complete && request.readableFlowing !== null;
}

/** Calls back once all that had arrived on connections that are accepted at this moment has been read. */
function afterReading(act: () => void): void {
  setImmediate(() => setImmediate(guarded(act, reportFailure)));
}
