import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A call that passed through. */
export interface Passed {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
}

/** A proxy in front of a node that can refuse requests, redirect them or lie, and records the calls. */
export interface Doorkeeper {
  readonly url: string;
  /** The node behind it. */
  node: string;
  isClosed: boolean;
  /** Called before a request is passed on. */
  before: (methods: readonly string[]) => Promise<void>;
  /** Replaces the result of a call. */
  tell: (call: Passed, result: unknown) => unknown;
  /** The called methods, in order. */
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
    const calls: readonly Passed[] = [JSON.parse(body)].flat();
    for (const { method } of calls) methods.push(method);
    await door.before(calls.map(({ method }) => method));
    const answer = await fetch(door.node, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const said = (await answer.json()) as Answer | readonly Answer[];
    const told = [said].flat().map((one) => retold(one, calls));
    response.writeHead(answer.status).end(JSON.stringify(Array.isArray(said) ? told : told[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const retold = (answer: Answer, calls: readonly Passed[]): Answer => {
    const call = calls.find(({ id }) => id === answer.id);
    return call && "result" in answer ? { ...answer, result: door.tell(call, answer.result) } : answer;
  };
  const door: Doorkeeper = {
    node,
    before: async () => undefined,
    tell: (_, result) => result,
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
