import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, expect, it } from "vitest";
import { goneOf, watchClients } from "../../../../src/platform/http/limits/gone-of.js";

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

it("A request's signal aborts when the client disconnects, even after its body was read, but not when it is answered.", async () => {
  app = Fastify();
  watchClients(app);
  const seen: AbortSignal[] = [];
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  app.post("/answered", async (request) => {
    seen.push(goneOf(request));
    return {};
  });
  app.post("/left", async (request) => {
    const gone = goneOf(request);
    seen.push(gone);
    begin();
    await new Promise((resolve) => gone.addEventListener("abort", resolve));
    return {};
  });
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  const options = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  expect((await fetch(`${address}/answered`, options)).status).toBe(200);
  const leaving = new AbortController();
  const left = fetch(`${address}/left`, { ...options, signal: leaving.signal });
  await begun;
  expect(seen.map(({ aborted }) => aborted)).toEqual([false, false]);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await new Promise((resolve) => seen[1]?.aborted || seen[1]?.addEventListener("abort", resolve));
  expect(seen.map(({ aborted }) => aborted)).toEqual([false, true]);
});

it("Many parts of the server that watch one request share one listener.", async () => {
  app = Fastify();
  watchClients(app);
  app.get("/", async (request, reply) => {
    const before = reply.raw.listenerCount("close");
    const signals = Array.from({ length: 12 }, () => goneOf(request));
    return { added: reply.raw.listenerCount("close") - before, signals: new Set(signals).size };
  });
  expect((await app.inject("/")).json()).toEqual({ added: 1, signals: 1 });
});
