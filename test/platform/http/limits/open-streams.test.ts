import { expect, test } from "vitest";
import { EventStream } from "../../../../src/platform/http/event-stream.js";
import { Fastify } from "../../../../src/platform/http/fastify.js";
import { OpenStreams } from "../../../../src/platform/http/limits/open-streams.js";

/** The time between two comments never passes. */
const world = { timeout: () => new AbortController().signal };

/** A promise, and what fulfils it. */
function gate(): readonly [Promise<void>, () => void] {
  let open: (() => void) | undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, () => open?.()];
}

test("a closed stream accepts no more events", () => {
  const stream = new EventStream(world);
  expect(stream.send("update", "1")).toBe(true);
  stream.end();
  expect(stream.send("update", "2")).toBe(false);
  stream.end();
  expect(String(stream.body.read())).toBe("event: update\ndata: 1\n\n");
});

test("a closing server also ends a stream that an earlier request opens only afterwards", async () => {
  const app = Fastify();
  const streams = new OpenStreams(app);
  const [arrived, arrive] = gate();
  const [rendered, render] = gate();
  let isGone = false;
  app.get("/", async (_, reply) => {
    arrive();
    await rendered;
    const stream = streams.open(reply, world, () => {
      isGone = true;
    });
    return stream.body;
  });
  const answer = app.inject("/");
  // A request is sent only once somebody waits for it.
  void answer.then(() => undefined);
  await arrived;
  await app.close();
  render();
  expect([(await answer).statusCode, (await answer).body, isGone]).toEqual([200, "", true]);
});
