import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Stands before a node: may keep everybody out, and knows who was there. */
export interface Doorkeeper {
  readonly url: string;
  isClosed: boolean;
  /** The methods that were asked for, in their order. */
  readonly methods: string[];
  stop(): Promise<void>;
}

export async function standBefore(node: string): Promise<Doorkeeper> {
  const methods: string[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    if (door.isClosed) return void response.writeHead(503).end("closed");
    const body = Buffer.concat(pieces).toString();
    for (const { method } of [JSON.parse(body)].flat()) methods.push(method);
    const answer = await fetch(node, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const door: Doorkeeper = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isClosed: false,
    methods,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return door;
}
