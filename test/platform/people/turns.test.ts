import { expect, it } from "vitest";
import { createTurns } from "../../../src/platform/people/turns.js";

const limits = { atOnce: 1, waiting: 4, waitingOfOne: 3 };

/** Has work wait that notes whose it was once its turn has come. */
function createQueue() {
  const turns = createTurns(limits);
  const done: string[] = [];
  return {
    done,
    ask: (client: string, isKnown = false) =>
      turns.run(async () => void done.push(client), { client, isKnown }),
  };
}

it("comes to each network in turn, however much one of them asks for", async () => {
  const { ask, done } = createQueue();
  await Promise.all(["busy", "busy", "busy", "one", "other"].map((client) => ask(client)));
  expect(done).toEqual(["busy", "busy", "one", "other", "busy"]);
});

it("comes first to those who are known", async () => {
  const { ask, done } = createQueue();
  await Promise.all([ask("first"), ask("stranger"), ask("guest"), ask("known", true), ask("known", true)]);
  expect(done).toEqual(["first", "known", "known", "stranger", "guest"]);
});

it("is not waited for by too many, of whom strangers leave room for those who are known", async () => {
  const { ask, done } = createQueue();
  const asked = [..."01234", "5", "6"].map((client) => ask(client));
  const known = ask("known", true);
  const settled = await Promise.allSettled(asked);
  await known;
  expect(settled.map(({ status }) => status === "fulfilled")).toEqual([
    ...[true, true, true, true, true],
    ...[false, false],
  ]);
  expect(settled.at(-1)).toMatchObject({ reason: { type: "unavailable", retryAfter: 5 } });
  expect(done).toEqual(["0", "known", "1", "2", "3", "4"]);
});

it("is waited for by a few of one network", async () => {
  const { ask } = createQueue();
  const settled = await Promise.allSettled(["one", "one", "one", "one", "one"].map((client) => ask(client)));
  expect(settled.filter(({ status }) => status === "rejected")).toHaveLength(1);
});

it("goes on when work fails", async () => {
  const turns = createTurns(limits);
  const failed = turns.run(() => Promise.reject(new Error("broken")), { client: "one" });
  const next = turns.run(async () => "done", { client: "two" });
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe("done");
});
