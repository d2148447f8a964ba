import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { Fastify } from "../../../../src/platform/http/fastify.js";
import { closeConnections } from "../../../../src/platform/http/limits/close-connections.js";

test("a server that shuts down closes connections that have sent nothing, and answers those in use", async () => {
  const app = Fastify();
  closeConnections(app as never);
  let answer: (() => void) | undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  app.get("/", async () => {
    await answered;
    return "last";
  });
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  const connected = once(app.server, "connection");
  const silent = connect(Number(port), "127.0.0.1");
  await connected;
  const asked = once(app.server, "request");
  const sent = request({ port, host: "127.0.0.1" }).end();
  await asked;
  const isGone = once(silent.resume(), "close");
  const closed = app.close();
  await isGone;
  answer?.();
  const [response] = await once(sent, "response");
  expect([response.statusCode, response.headers.connection]).toEqual([200, "close"]);
  expect(String(await response.toArray())).toBe("last");
  await closed;
});
