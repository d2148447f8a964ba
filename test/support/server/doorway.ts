import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy in front of a node that can be killed and restarted on the same port. */
export class Doorway {
  readonly #node: () => { readonly url: string };
  #server: Server | undefined;
  #port = 0;

  /** @param node the node behind it, once it exists */
  constructor(node: () => { readonly url: string }) {
    this.#node = node;
  }

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", async () => {
        const body = Buffer.concat(pieces);
        const headers = { "content-type": "application/json" };
        const answer = await fetch(this.#node().url, { method: "POST", headers, body });
        response.writeHead(answer.status, headers).end(await answer.text());
      });
    });
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }
}
