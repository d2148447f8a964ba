import type { FastifyInstance, FastifyRequest } from "fastify";
import { reportFailure } from "../../../base/failures.js";
import { guarded, inBackground } from "../../../base/turns/guarded.js";
import type { World } from "../../../base/world.js";

type Socket = FastifyRequest["socket"];

/** Connections of one address with an incomplete request. A browser opens six. */
const most = 100;
/** The same, counting also connections younger than `youth`, which a client may have had no time to use. */
const mostWithYoung = 1_000;
/** Milliseconds. */
const youth = 1_000;
/** Milliseconds that the headers of a request may take to arrive. */
export const longestHeaders = 20_000;

/** What a server is waiting for on a connection. */
interface Unfinished {
  /** In milliseconds since 1970. */
  readonly since: number;
  /** The request whose body is arriving. */
  readonly request?: FastifyRequest["raw"] | undefined;
}

/**
 * Limits each address's connections with incomplete requests: those without any data, with a part of the headers, or
 * with a part of a body. New ones replace the oldest. Complete requests that only wait for the server do not count.
 * @param proxies addresses that send the requests of many clients, and have no limit
 */
export function limitUnfinished(
  app: FastifyInstance,
  { now, sleep }: Pick<World, "now" | "sleep">,
  proxies: readonly string[] = [],
): void {
  /** By address, the connections in the order of their age. */
  const byAddress = new Map<string, Map<Socket, Unfinished>>();
  const addresses = new WeakMap<Socket, string>();
  const crowded = new Set<string>();
  const finish = (socket: Socket): void => {
    const address = addresses.get(socket) ?? "";
    const unfinished = byAddress.get(address);
    unfinished?.delete(socket);
    if (unfinished?.size === 0) byAddress.delete(address);
  };
  /** Closes the oldest connections of an address. @param before the latest time at which they began */
  const thin = (address: string, limit: number, before: number): void => {
    const awaited = [...(byAddress.get(address) ?? [])].filter(([, { request }]) => isAwaited(request));
    for (const [socket, { since }] of awaited.slice(0, Math.max(0, awaited.length - limit)))
      if (since <= before) {
        finish(socket);
        socket.destroy();
      }
  };
  const judge = async (address: string): Promise<void> => {
    while ((byAddress.get(address)?.size ?? 0) > most) {
      await sleep(youth);
      thin(address, most, now() - youth);
    }
    crowded.delete(address);
  };
  const begin = (socket: Socket, request?: FastifyRequest["raw"]): void => {
    const address = addresses.get(socket);
    if (address === undefined) return;
    const unfinished = byAddress.get(address) ?? new Map<Socket, Unfinished>();
    byAddress.set(address, unfinished.set(socket, { since: now(), request }));
    if (unfinished.size > mostWithYoung) thin(address, mostWithYoung, now());
    if (unfinished.size <= most || crowded.has(address)) return;
    crowded.add(address);
    inBackground(judge(address), reportFailure);
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

/** Whether the server waits for a request, or for the rest of a body, and not the client for the server. */
function isAwaited(request: FastifyRequest["raw"] | undefined): boolean {
  return !request || (!request.complete && request.readableFlowing !== null);
}
