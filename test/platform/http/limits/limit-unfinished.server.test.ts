import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, expect, it } from "vitest";
import { limitUnfinished } from "../../../../src/platform/http/limits/limit-unfinished.js";
import { world } from "../../../support/database/databases.js";
import { until } from "../../../support/until.js";

let app: FastifyInstance | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app?.close();
});

/** A server that answers `/` after the body, and keeps `/stream` open. */
async function started(
  proxies: readonly string[] = [],
  admitted: () => Promise<void> = async () => undefined,
): Promise<number> {
  app = Fastify({ forceCloseConnections: true });
  limitUnfinished(app, world, proxies);
  app.addHook("onRequest", admitted);
  app.post("/", async () => "taken");
  app.get("/stream", (_, reply) => {
    reply.hijack();
    reply.raw.write("HTTP");
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return (app.server.address() as AddressInfo).port;
}

async function opened(port: number, text: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "connect");
  if (text !== "") socket.write(text);
  return socket;
}

const body = "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nab";

it.each([
  ["nothing", ""],
  ["a part of the headers", "GET / HTTP/1.1\r\nhost: "],
  ["a part of a body", body],
])("the oldest of too many connections that have sent %s is closed", async (_, text) => {
  const port = await started();
  const first = await opened(port, text);
  const gone = once(first, "close");
  for (let count = 0; count < 100; count++) await opened(port, text);
  await gone;
  expect(sockets.slice(1).every(({ destroyed }) => !destroyed)).toBe(true);
});

it("a connection whose request has arrived does not count while it waits for its answer", async () => {
  const port = await started();
  const streams = [];
  for (let count = 0; count < 5; count++) {
    const stream = await opened(port, "GET /stream HTTP/1.1\r\nhost: x\r\n\r\n");
    await once(stream, "data");
    streams.push(stream);
  }
  const first = await opened(port, "");
  const gone = once(first, "close");
  for (let count = 0; count < 100; count++) await opened(port, "");
  await gone;
  expect(streams.every(({ destroyed, readableEnded }) => !destroyed && !readableEnded)).toBe(true);
});

it("a trusted proxy may open any number of unfinished requests", async () => {
  const port = await started(["127.0.0.1"]);
  for (let count = 0; count < 150; count++) await opened(port, "");
  const asking = await opened(port, `${body}cde`);
  expect(String(await once(asking, "data"))).toContain("HTTP/1.1 ");
  expect(sockets.every(({ destroyed }) => !destroyed)).toBe(true);
});

const whole = `${body}cde`;

it("a new connection that has not sent its request yet is not closed, even if many others open at that moment", async () => {
  const port = await started();
  let accepted = 0;
  app?.server.on("connection", () => {
    accepted += 1;
  });
  const first = await opened(port, "");
  await Promise.all(Array.from({ length: 200 }, () => opened(port, "")));
  await until(() => accepted === 201);
  first.write(whole);
  expect(String((await once(first, "data"))[0])).toContain("HTTP/1.1 200");
});

it("no more than 1,000 unfinished requests stay open, at any age", async () => {
  const port = await started();
  for (let count = 0; count < 1_010; count += 1) await opened(port, "");
  await until(() => sockets.filter(({ destroyed }) => destroyed).length >= 10);
  expect(sockets.slice(0, 10).every(({ destroyed }) => destroyed)).toBe(true);
});

it("a request whose body the server has not read yet does not count, even if many wait for admission", async () => {
  let [waiting, admit] = [0, (): void => undefined];
  const gate = new Promise<void>((resolve) => (admit = resolve));
  const port = await started([], async () => {
    waiting += 1;
    await gate;
  });
  const bodies = ["cde", "c".repeat(200_000)];
  const answers = Array.from({ length: 150 }, async (_, number) => {
    const rest = bodies[number % 2] ?? "";
    const socket = await opened(port, `${body.replace("length: 5", `length: ${rest.length + 2}`)}${rest}`);
    return String((await once(socket, "data"))[0]);
  });
  await until(() => waiting === 150);
  admit();
  for (const answer of await Promise.all(answers)) expect(answer).toContain("HTTP/1.1 200");
});
