import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createNodeWorld } from "../../../src/node/world.js";
import { createOutgoing, type OutgoingOptions } from "../../../src/web/outgoing/outgoing.js";
import type { OutgoingRequest } from "../../../src/web/outgoing/outgoing-request.js";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function serve(
  listener: RequestListener,
): Promise<{ readonly port: number; readonly received: string[] }> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${request.headers.host}`);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, received };
}

async function serveRaw(talk: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    talk(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const world = createNodeWorld();

function outgoing(options: Partial<OutgoingOptions> = {}) {
  const made = createOutgoing({ allowsPrivate: true, ...options }, world);
  ends.push(() => made.close());
  return (request: Partial<OutgoingRequest> & { readonly url: string }) =>
    made.send({ timeout: 30_000, mostBytes: 1_000, ...request });
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request) text += piece;
  return text;
}

describe("a request", () => {
  test("arrives as it was meant, and its answer comes back", async () => {
    const seen: unknown[] = [];
    const { port } = await serve(async (request, response) => {
      seen.push(request.method, request.headers["x-one"], request.headers["x-two"], await textOf(request));
      response.writeHead(418, { "x-answer": "yes" }).end("short and stout");
    });
    const { status, headers, body } = await outgoing()({
      url: `http://127.0.0.1:${port}/a?b=c#d`,
      method: "POST",
      headers: { "x-one": "1" },
      secretHeaders: { "x-two": "2" },
      body: "héllo",
    });
    expect([status, headers["x-answer"], Buffer.from(body).toString()]).toEqual([
      418,
      "yes",
      "short and stout",
    ]);
    expect(seen).toEqual(["POST", "1", "2", "héllo"]);
  });

  test("uses a connection again, and makes another when it was closed meanwhile", async () => {
    let connections = 0;
    const port = await serveRaw((socket) => {
      connections += 1;
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
        // What comes next is not answered: the connection is closed in its face.
        socket.once("data", () => socket.resetAndDestroy());
      });
    });
    const send = outgoing();
    for (let index = 0; index < 3; index++) {
      expect((await send({ url: `http://127.0.0.1:${port}/` })).status).toBe(200);
    }
    expect(connections).toBe(3);
  });
});

describe("limits", () => {
  test("of an answer's size: an error, or its beginning", async () => {
    const { port } = await serve((_, response) => {
      const pour = (): void => {
        while (response.writable && response.write("x".repeat(10_000)));
      };
      response.on("drain", pour);
      pour();
    });
    const send = outgoing();
    const url = `http://127.0.0.1:${port}/`;
    await expect(send({ url })).rejects.toMatchObject({ kind: "too-long" });
    expect((await send({ url, excess: "cut" })).body).toHaveLength(1_000);
  });

  test.each<[string, (socket: Socket) => void]>([
    ["nothing at all", () => undefined],
    ["headers that never end", (socket) => drip(socket, "HTTP/1.1 200 OK\r\n", "a: b\r\n")],
    ["a body that drips", (socket) => drip(socket, "HTTP/1.1 200 OK\r\n\r\n", "x")],
  ])("of time: %s", async (_, talk) => {
    const port = await serveRaw(talk);
    const sent = outgoing()({ url: `http://127.0.0.1:${port}/`, timeout: 300 });
    await expect(sent).rejects.toMatchObject({ kind: "time-out", message: "no answer within 0.3 s" });
  });

  test.each<[string, string, (socket: Socket) => void]>([
    ["a connection that is cut", "cut", (socket) => socket.destroy()],
    ["an answer that is cut", "cut", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx")],
    ["what is not HTTP", "cut", (socket) => socket.end("SSH-2.0-OpenSSH\r\n")],
    ["endless headers", "cut", (socket) => socket.end(`HTTP/1.1 200 OK\r\na: ${"b".repeat(20_000)}\r\n\r\n`)],
    [
      "another protocol",
      "cut",
      (socket) => socket.end("HTTP/1.1 101 OK\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    ],
  ])("%s is told", async (_, kind, talk) => {
    const port = await serveRaw((socket) => socket.once("data", () => talk(socket)));
    await expect(outgoing()({ url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({ kind });
  });

  test("a request that is stopped ends", async () => {
    const port = await serveRaw(() => undefined);
    const stop = new AbortController();
    const sent = outgoing()({ url: `http://127.0.0.1:${port}/`, signal: stop.signal });
    stop.abort();
    await expect(sent).rejects.toMatchObject({ kind: "stopped" });
  });

  test("a port where nobody listens is told, without the keys in the address", async () => {
    const { port } = await serve(() => undefined);
    for (const end of ends.splice(0)) end();
    const sent = outgoing()({ url: `http://user:password@127.0.0.1:${port}/secretpath?key=12345` });
    await expect(sent).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.not.stringMatching(/secret|12345/),
    });
  });
});

describe("an address that may not be reached", () => {
  test.each([
    ...[
      "http://127.0.0.1:PORT/",
      "http://2130706433:PORT/",
      "http://0x7f000001:PORT/",
      "http://0177.0.0.1:PORT/",
    ],
    ...[
      "http://127.1:PORT/",
      "http://[::1]:PORT/",
      "http://[::ffff:127.0.0.1]:PORT/",
      "http://localhost:PORT/",
    ],
    ...["http://0:PORT/", "http://①②⑦.0.0.1:PORT/", "http://user:word@127.0.0.1:PORT/"],
  ])("is refused: %s", async (url) => {
    const { port, received } = await serve((_, response) => response.end());
    const sent = outgoing({ allowsPrivate: false })({ url: url.replace("PORT", String(port)) });
    await expect(sent).rejects.toMatchObject({ kind: "refused-address" });
    expect(received).toEqual([]);
  });

  test.each([
    "ftp://127.0.0.1/",
    "file:///etc/passwd",
    "no address",
    "http://",
    "javascript:1",
  ])("%s is none", async (url) => {
    await expect(outgoing()({ url })).rejects.toMatchObject({ kind: "bad-address" });
  });

  test("is judged at the connection, whatever the name led to before", async () => {
    const { port, received } = await serve((_, response) => response.end());
    const answers = [["127.0.0.1"], ["10.9.9.9"], ["127.0.0.1", "169.254.169.254"]];
    let asked = 0;
    const send = outgoing({
      allowsPrivate: false,
      listed: ["127.0.0.1"],
      resolve: async () => (answers[asked++] ?? []).map((address) => ({ address, family: 4 })),
    });
    const url = `http://rebound.example:${port}/`;
    // Nothing is kept between the requests, so that the name is looked up every time.
    const headers = { connection: "close" };
    expect((await send({ url, headers })).status).toBe(200);
    await expect(send({ url, headers })).rejects.toMatchObject({
      kind: "refused-address",
      message: "rebound.example: 10.9.9.9 is a private address",
    });
    await expect(send({ url, headers })).rejects.toMatchObject({ kind: "refused-address" });
    await expect(send({ url, headers })).rejects.toMatchObject({ kind: "unreachable" });
    expect(received).toEqual([`GET / rebound.example:${port}`]);
    expect(asked).toBe(4);
  });
});

describe("a redirection", () => {
  const to =
    (location: string, status = 302): RequestListener =>
    (request, response) => {
      if (request.url === "/end") response.end(`${request.method} ${request.headers["x-key"] ?? "no key"}`);
      else response.writeHead(status, { location }).end();
    };

  test("is given back unless redirections are followed", async () => {
    const { port, received } = await serve(to("/end"));
    expect((await outgoing()({ url: `http://127.0.0.1:${port}/` })).status).toBe(302);
    expect(received).toHaveLength(1);
  });

  test.each([
    [302, "POST", "GET the key"],
    [307, "POST", "POST the key"],
    [303, "HEAD", ""],
  ])("with %i of %s", async (status, method, said) => {
    const { port } = await serve(to("/end", status));
    const { body } = await outgoing()({
      url: `http://127.0.0.1:${port}/`,
      method,
      redirects: 1,
      secretHeaders: { "x-key": "the key" },
    });
    expect(Buffer.from(body).toString()).toBe(said);
  });

  test("does not take secrets to another host", async () => {
    const other = await serve(to(""));
    const { port } = await serve(to(`http://127.0.0.1:${other.port}/end`));
    const secretHeaders = { "x-key": "the key" };
    const { body } = await outgoing()({ url: `http://127.0.0.1:${port}/`, redirects: 1, secretHeaders });
    expect(Buffer.from(body).toString()).toBe("GET no key");
  });

  test.each([
    ["the same again and again", "/", "redirected"],
    ["an address that may not be reached", "http://169.254.169.254/latest/meta-data", "refused-address"],
    ["a name that leads to one", "http://inside.example/", "refused-address"],
    ["another protocol", "ftp://127.0.0.1/", "bad-address"],
    ["no address", "http://[", "redirected"],
  ])("to %s ends it", async (_, location, kind) => {
    const { port } = await serve(to(location));
    const resolve = async () => [{ address: "169.254.169.254", family: 4 }];
    const sent = outgoing({ resolve })({ url: `http://127.0.0.1:${port}/`, redirects: 3 });
    await expect(sent).rejects.toMatchObject({ kind });
  });
});

function drip(socket: Socket, first: string, drop: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(drop), 20);
  socket.on("close", () => clearInterval(timer));
}
