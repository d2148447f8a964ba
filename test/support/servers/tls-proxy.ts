import { readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { createServer } from "node:tls";

/** A server that speaks TLS in front of another one that does not. */
export interface TlsProxy {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts one. @param keys the path of a file with the key and the certificate @param port of the other server */
export async function startTlsProxy(keys: string, port: number): Promise<TlsProxy> {
  const text = readFileSync(keys);
  const sockets = new Set<{ destroy(): unknown }>();
  const server = createServer({ key: text, cert: text }, (secure) => {
    const plain = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [secure, plain],
      [plain, secure],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => sockets.delete(one));
      one.pipe(other);
    }
  });
  // A client that refuses the certificate ends the handshake.
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
