import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createNodeWorld } from "../../../src/machine/world.js";
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
  test("arrives complete, and returns the answer", async () => {
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

  test("reuses a connection, and opens a new one if it was closed", async () => {
    let connections = 0;
    const port = await serveRaw((socket) => {
      connections += 1;
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
        // The next request gets no answer. The server closes the connection instead.
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

describe("a request that fails", () => {
  test("reports an answer that is too long, or returns its beginning on request", async () => {
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
    ["no answer", () => undefined],
    ["headers that never end", (socket) => drip(socket, "HTTP/1.1 200 OK\r\n", "a: b\r\n")],
    ["a body that drips", (socket) => drip(socket, "HTTP/1.1 200 OK\r\n\r\n", "x")],
  ])("times out after %s", async (_, talk) => {
    const port = await serveRaw(talk);
    const sent = outgoing()({ url: `http://127.0.0.1:${port}/`, timeout: 300 });
    await expect(sent).rejects.toMatchObject({ kind: "time-out", message: "no answer within 0.3 s" });
  });

  test.each<[string, string, (socket: Socket) => void]>([
    ["a closed connection", "cut", (socket) => socket.destroy()],
    ["a cut-off answer", "cut", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx")],
    ["an answer that is not HTTP", "cut", (socket) => socket.end("SSH-2.0-OpenSSH\r\n")],
    ["endless headers", "cut", (socket) => socket.end(`HTTP/1.1 200 OK\r\na: ${"b".repeat(20_000)}\r\n\r\n`)],
    [
      "a switch to a different protocol",
      "cut",
      (socket) => socket.end("HTTP/1.1 101 OK\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    ],
  ])("reports %s with its kind", async (_, kind, talk) => {
    const port = await serveRaw((socket) => socket.once("data", () => talk(socket)));
    await expect(outgoing()({ url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({ kind });
  });

  test("fails at once when it is stopped", async () => {
    const port = await serveRaw(() => undefined);
    const stop = new AbortController();
    const sent = outgoing()({ url: `http://127.0.0.1:${port}/`, signal: stop.signal });
    stop.abort();
    await expect(sent).rejects.toMatchObject({ kind: "stopped" });
  });

  test("reports an unreachable port without the keys in the address", async () => {
    const { port } = await serve(() => undefined);
    for (const end of ends.splice(0)) end();
    const sent = outgoing()({ url: `http://user:password@127.0.0.1:${port}/secretpath?key=12345` });
    await expect(sent).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.not.stringMatching(/secret|12345/),
    });
  });
});

describe("an address", () => {
  test.each([
    "http://127.0.0.1:PORT/",
    "http://2130706433:PORT/",
    "http://0x7f000001:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://127.1:PORT/",
    "http://[::1]:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://localhost:PORT/",
    "http://0:PORT/",
    "http://①②⑦.0.0.1:PORT/",
    "http://user:word@127.0.0.1:PORT/",
  ])("is refused when it is private: %s", async (url) => {
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
  ])("is invalid: %s", async (url) => {
    await expect(outgoing()({ url })).rejects.toMatchObject({ kind: "bad-address" });
  });

  test("is checked at every connection, whatever address its name resolved to before", async () => {
    const { port, received } = await serve((_, response) => response.end());
    const answers = [["127.0.0.1"], ["10.9.9.9"], ["127.0.0.1", "169.254.169.254"]];
    let asked = 0;
    const send = outgoing({
      allowsPrivate: false,
      listed: ["127.0.0.1"],
      resolve: async () => (answers[asked++] ?? []).map((address) => ({ address, family: 4 })),
    });
    const url = `http://rebound.example:${port}/`;
    // Close each connection, so that the name is looked up for every request.
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

test("a redirection and a name lead to no other port than the allowed one", async () => {
  const forbidden = await serve((_, response) => response.end());
  const { port } = await serve(({ url }, response) => {
    response.writeHead(302, { location: `http://${url?.slice(1)}:${forbidden.port}/` }).end();
  });
  const send = outgoing({
    allowsPrivate: false,
    listed: [`127.0.0.1:${port}`, `db.example:${port}`],
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  for (const host of ["127.0.0.1", "[::ffff:127.0.0.1]", "db.example", "other.example"])
    for (const url of [`http://127.0.0.1:${port}/${host}`, `http://${host}:${forbidden.port}/`])
      await expect(send({ url, redirects: 3 })).rejects.toMatchObject({
        kind: "refused-address",
        message: expect.stringContaining(
          `is a private address, and its port ${forbidden.port} is not allowed`,
        ),
      });
  expect(forbidden.received).toEqual([]);
  for (const host of ["127.0.0.1", "db.example"])
    expect((await send({ url: `http://${host}:${port}/` })).status).toBe(302);
});

describe("a redirection", () => {
  const to =
    (location: string, status = 302): RequestListener =>
    (request, response) => {
      if (request.url === "/end") response.end(`${request.method} ${request.headers["x-key"] ?? "no key"}`);
      else response.writeHead(status, { location }).end();
    };

  test("is returned unless redirections are followed", async () => {
    const { port, received } = await serve(to("/end"));
    expect((await outgoing()({ url: `http://127.0.0.1:${port}/` })).status).toBe(302);
    expect(received).toHaveLength(1);
  });

  test.each([
    [302, "POST", "GET the key"],
    [307, "POST", "POST the key"],
    [303, "HEAD", ""],
  ])("with status %i of a %s request keeps the method and secrets as the standard requires", async (status, method, said) => {
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
    ["itself", "/", "redirected"],
    ["a forbidden address", "http://169.254.169.254/latest/meta-data", "refused-address"],
    ["a name that resolves to a forbidden address", "http://inside.example/", "refused-address"],
    ["a different protocol", "ftp://127.0.0.1/", "bad-address"],
    ["an invalid address", "http://[", "redirected"],
  ])("to %s fails", async (_, location, kind) => {
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
