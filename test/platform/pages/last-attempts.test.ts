import { expect, it } from "vitest";
import { createLastAttempts } from "../../../src/platform/pages/subgraph/last-attempts.js";
import type { Webhook } from "../../../src/platform/webhooks/webhooks.js";
import type { Row } from "../../../src/store/database/database.js";

const webhook: Webhook = {
  id: "webhook_1",
  project: "project_1",
  name: "swaps",
  subgraph: "pools",
  version: "1.0.0",
  entity: "swap",
  url: "https://receiver.example/",
  retries: 3,
  retryInterval: 1,
  timeout: 5,
  owesStart: false,
  isPaused: false,
  failures: 5,
  restsUntil: new Date(2_000_000_000_000),
  createdAt: new Date(0),
};

/** Last attempts of a database that counts what it is asked, at a time that a test sets. */
function played() {
  const play = { now: 1_000_000, isAway: false, asked: 0 };
  const query = async (): Promise<Row[]> => {
    play.asked += 1;
    if (play.isAway) throw new Error("away");
    return [
      {
        webhook: "webhook_1",
        answer_status: "503",
        error: "HTTP 503",
        delivered_at: null,
        attempted_at: "2026-11-18 10:00:00+00",
      },
    ];
  };
  return { play, read: createLastAttempts({ database: { query }, world: { now: () => play.now } }) };
}

it("the page reads the attempts of a failing webhook once in ten seconds, and again after each attempt", async () => {
  const { play, read } = played();
  expect((await read([webhook])).get("webhook_1")).toMatchObject({ answerStatus: 503, error: "HTTP 503" });
  await Promise.all([read([webhook]), read([webhook])]);
  play.now += 9_999;
  await read([webhook]);
  expect(play.asked).toBe(1);
  play.now += 1;
  await read([webhook]);
  expect(play.asked).toBe(2);
  await read([{ ...webhook, failures: 6 }]);
  expect(play.asked).toBe(3);
});

it("the page reads no attempts of webhooks whose receivers answer", async () => {
  const { play, read } = played();
  const { restsUntil: _, ...answering } = webhook;
  expect(await read([answering])).toEqual(new Map());
  expect(play.asked).toBe(0);
});

it("the page keeps no failure", async () => {
  const { play, read } = played();
  play.isAway = true;
  await expect(read([webhook])).rejects.toThrow("away");
  play.isAway = false;
  expect((await read([webhook])).size).toBe(1);
});
