import { expect, it } from "vitest";
import { Fastify } from "../../../src/platform/http/fastify.js";
import { watchClients } from "../../../src/platform/http/limits/gone-of.js";
import { paceRequests } from "../../../src/platform/http/pace-requests.js";

it("API requests above a client's rate wait, refused requests count too, and pages do not wait", async () => {
  const waiting: AbortController[] = [];
  const world = {
    now: () => 0,
    timeout: () => {
      const timer = new AbortController();
      waiting.push(timer);
      return timer.signal;
    },
  };
  const app = Fastify();
  watchClients(app);
  paceRequests(app, { world: world as never });
  app.get("/api/v1/good", { config: { role: "anyone" } }, async () => "good");
  app.get("/api/v1/bad", { config: { role: "anyone" } }, async (_, reply) => reply.status(422).send("bad"));
  app.get("/page", { config: { role: "anyone" } }, async () => "page");
  const ask = async (path: string, remoteAddress = "10.0.0.1"): Promise<number> =>
    (await app.inject({ path, remoteAddress })).statusCode;
  for (let number = 0; number < 150; number++)
    expect([await ask("/api/v1/good"), await ask("/api/v1/bad")]).toEqual([200, 422]);
  const late = ask("/api/v1/good");
  expect(await ask("/page")).toBe(200);
  expect(await ask("/api/v1/good", "10.0.0.2")).toBe(200);
  expect(waiting.length).toBe(1);
  waiting[0]?.abort();
  expect(await late).toBe(200);
  await app.close();
});
