import { AsyncLocalStorage } from "node:async_hooks";
import { isIP, Socket } from "node:net";
import { guarded } from "../../base/turns/guarded.js";

export interface GuardedConnection {
  readonly address: string;
  readonly port: number;
  readonly host: string | undefined;
}

/** Why a connection may not be made, as the end of a sentence; `undefined` if it may be. */
export type ConnectionRefusal = (connection: GuardedConnection) => string | undefined;

/** Set while a trusted client works. */
const trusted = new AsyncLocalStorage<true>();

/**
 * Runs the work of a client that connects only to the operator's servers, or to servers that these name: its
 * connections are not checked. Do not use it for connections on behalf of users.
 */
export function trustConnections<T>(work: () => T): T {
  return trusted.run(true, work);
}

/**
 * From now on, checks the address and port of every connection of this process before anything is sent. This includes
 * addresses from later name lookups, and addresses that a server returns, as Kafka brokers do. Local sockets are not
 * checked. Only for dedicated processes, because it replaces a function of Node.js.
 * @returns a function that creates unchecked sockets, for clients that connect only to the operator's servers. It
 *   trusts the client, not the address, because users can specify the same host and port.
 */
export function guardConnections(refusal: ConnectionRefusal): () => Socket {
  const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
    if (trusted.getStore()) return connect.apply(this, args);
    const { host, port } = placeIn(args);
    const judge = (address: string): void => {
      const reason = reasonAgainst({ address, port, host }, refusal);
      if (reason !== undefined)
        this.destroy(new Error(`connections to this address are forbidden: ${reason}`));
    };
    // The name is resolved; connecting comes next. Without an address, the socket itself fails.
    const fail = (error: unknown): void => void this.destroy(error instanceof Error ? error : undefined);
    const found = (error: Error | null, address: string | undefined): void => {
      if (!error && address !== undefined) judge(address);
    };
    this.on("lookup", guarded(found, fail));
    // With an address, Node.js connects in the next tick. By then, the caller listens for errors.
    if (host !== undefined && isIP(host) !== 0) process.nextTick(guarded(judge, fail), host);
    return connect.apply(this, args);
  } as typeof Socket.prototype.connect;
  return () => Object.assign(new Socket(), { connect });
}

/** An exception in a listener would end the process, so an address that cannot be checked is refused. */
function reasonAgainst(connection: GuardedConnection, refusal: ConnectionRefusal): string | undefined {
  try {
    return refusal(connection);
  } catch {
    return `${connection.address} is not an IP address`;
  }
}

/**
 * The destination from the arguments of `connect`: `(port, host)`, `(options)`, or, within Node.js, a list of these.
 */
function placeIn([first, second]: readonly unknown[]): Pick<GuardedConnection, "host" | "port"> {
  const options = Array.isArray(first) ? first[0] : first;
  const isObject = typeof options === "object" && options !== null;
  const host = isObject ? Reflect.get(options, "host") : second;
  const port = isObject ? Reflect.get(options, "port") : options;
  // Node.js also accepts the port as a string of digits.
  return { host: typeof host === "string" ? host : undefined, port: Number(port) };
}
