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
 * headers, or a part of a body. The oldest give way to new ones.
 * @param proxies addresses that send the requests of many clients, and have no limit
 */
export function limitUnfinished(app: FastifyInstance, proxies: readonly string[] = []): void {
  const byAddress = new Map<string, Set<Socket>>();
  const addresses = new WeakMap<Socket, string>();
  const finish = (socket: Socket): void => {
    const address = addresses.get(socket) ?? "";
    const unfinished = byAddress.get(address);
    unfinished?.delete(socket);
    if (unfinished?.size === 0) byAddress.delete(address);
  };
  const begin = (socket: Socket): void => {
    const address = addresses.get(socket);
    if (address === undefined) return;
    const unfinished = byAddress.get(address) ?? new Set();
    byAddress.set(address, unfinished.add(socket));
    const [oldest] = unfinished;
    if (unfinished.size > most && oldest) {
      finish(oldest);
      oldest.destroy();
    }
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
    begin(socket);
    request.once(
      "end",
      guarded(() => finish(socket), reportFailure),
    );
  };
  app.server.on("connection", guarded(connected, reportFailure));
  app.server.on("request", guarded(requested, reportFailure));
}
