import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A valve in front of a server. While it is shut, it accepts connections but passes nothing on. */
export interface Valve {
  /** The address of the server, with the port of the valve. */
  readonly url: string;
  /** Passes nothing on, as when the process behind it is stopped. */
  shut(): void;
  /** Passes everything on, including data that arrived meanwhile. */
  open(): void;
  /** Cuts open connections, and leads new ones to a different server. @param target its URL */
  lead(target: string): void;
  stop(): Promise<void>;
}

/** Opens a valve in front of a server. @param target its URL */
export async function startValve(target: string): Promise<Valve> {
  let behind = new URL(target);
  const sockets = new Set<Socket>();
  let isShut = false;
  const server = createServer((from) => {
    const { hostname, port, protocol } = behind;
    const to = connect(Number(port || (protocol === "https:" ? 443 : 80)), hostname);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one.on("data", (bytes) => other.write(bytes));
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      if (isShut) one.pause();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    shut() {
      isShut = true;
      for (const socket of sockets) socket.pause();
    },
    open() {
      isShut = false;
      for (const socket of sockets) socket.resume();
    },
    lead(other) {
      behind = new URL(other);
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
