import { isIP, Socket } from "node:net";

/** What a process may connect to. */
export interface ConnectionGuard {
  /** Why an IP address may not be reached, as the end of a sentence; nothing if it may be. */
  refusal(address: string): string | undefined;
  /** Hosts that may be reached wherever they lead. */
  readonly trusted: readonly string[];
}

/**
 * From now on, judges the address of every connection of this process, whatever makes it, before anything is sent: also one
 * that a name leads to only now, or that a server has named, as brokers of Kafka do. Local sockets are not judged. It is for
 * processes that do nothing else, because it takes the place of a function of Node.js.
 */
export function guardConnections({ refusal, trusted }: ConnectionGuard): void {
  const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
    const host = hostIn(args);
    const judge = (address: string): void => {
      if (host !== undefined && trusted.includes(host)) return;
      const reason = reasonAgainst(address, refusal);
      if (reason !== undefined)
        this.destroy(new Error(`connections to this address are forbidden: ${reason}`));
    };
    // A name has been looked up then, and the connection is made next. Without an address, the socket itself fails.
    this.on("lookup", (error, address: string | undefined) => {
      if (!error && address !== undefined) judge(address);
    });
    // With an address, the connection is made in the next tick, after this one. By then, its errors are listened to.
    if (host !== undefined && isIP(host) !== 0) process.nextTick(judge, host);
    return connect.apply(this, args);
  } as typeof Socket.prototype.connect;
}

/** An exception in a listener would end the process, so an address that cannot be judged is refused. */
function reasonAgainst(address: string, refusal: ConnectionGuard["refusal"]): string | undefined {
  try {
    return refusal(address);
  } catch {
    return `${address} is not an IP address`;
  }
}

/** The host among the arguments of `connect`: `(port, host)`, `(options)`, or a list of the latter from within Node.js. */
function hostIn([first, second]: readonly unknown[]): string | undefined {
  const options = Array.isArray(first) ? first[0] : first;
  const host = typeof options === "object" && options !== null ? Reflect.get(options, "host") : second;
  return typeof host === "string" ? host : undefined;
}
