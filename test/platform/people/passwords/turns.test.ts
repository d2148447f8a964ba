import { expect, it } from "vitest";
import { createTurns } from "../../../../src/platform/people/passwords/passwords.js";

const limits = { atOnce: 1, waiting: 4, waitingOfOne: 3 };

/** Queues work that records its client when its turn comes. */
function createQueue() {
  const turns = createTurns(limits);
  const done: string[] = [];
  return {
    done,
    ask: (client: string, isKnown = false) =>
      turns.run(async () => void done.push(client), { client, isKnown }),
  };
}

it("the queue gives each network its turn, even if one of them asks for much more", async () => {
  const { ask, done } = createQueue();
  await Promise.all(["busy", "busy", "busy", "one", "other"].map((client) => ask(client)));
  expect(done).toEqual(["busy", "busy", "one", "other", "busy"]);
});

it("the queue serves known clients first", async () => {
  const { ask, done } = createQueue();
  await Promise.all([ask("first"), ask("stranger"), ask("guest"), ask("known", true), ask("known", true)]);
  expect(done).toEqual(["first", "known", "known", "stranger", "guest"]);
});

it("the queue has a limit, and keeps room for known clients", async () => {
  const { ask, done } = createQueue();
  const asked = [..."01234", "5", "6"].map((client) => ask(client));
  const known = ask("known", true);
  const settled = await Promise.allSettled(asked);
  await known;
  expect(settled.map(({ status }) => status === "fulfilled")).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(settled.at(-1)).toMatchObject({ reason: { type: "unavailable", retryAfter: 5 } });
  expect(done).toEqual(["0", "known", "1", "2", "3", "4"]);
});

it("the queue has a limit for each network", async () => {
  const { ask } = createQueue();
  const settled = await Promise.allSettled(["one", "one", "one", "one", "one"].map((client) => ask(client)));
  expect(settled.filter(({ status }) => status === "rejected")).toHaveLength(1);
});

it("the queue continues with the next work when work fails", async () => {
  const turns = createTurns(limits);
  const failed = turns.run(() => Promise.reject(new Error("broken")), { client: "one" });
  const next = turns.run(async () => "done", { client: "two" });
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe("done");
});
