import { expect, it } from "vitest";
import { NodeCounts } from "../../../src/platform/figures/node-counts.js";

const minute = 60_000;

it("the counter adds up the requests to each node of a network by outcome", () => {
  const counts = new NodeCounts(() => 1_000 * minute);
  const at = 1_000 * minute;
  const ask = counts.meters.askedNode;
  ask("mainnet", "answered", 0.2, "https://b.example");
  ask("mainnet", "answered", 0.4, "https://b.example");
  ask("mainnet", "limited", 9, "https://b.example");
  ask("mainnet", "away", 30, "https://a.example");
  ask("base", "refused", 1, "https://b.example");
  expect(counts.recent("mainnet")).toEqual([
    {
      node: "https://a.example",
      requests: { answered: 0, limited: 0, refused: 0, away: 1 },
      meanSeconds: undefined,
      last: "away",
      minutes: [{ at, requests: { answered: 0, limited: 0, refused: 0, away: 1 } }],
    },
    {
      node: "https://b.example",
      requests: { answered: 2, limited: 1, refused: 0, away: 0 },
      meanSeconds: expect.closeTo(0.3, 9),
      last: "limited",
      minutes: [{ at, requests: { answered: 2, limited: 1, refused: 0, away: 0 } }],
    },
  ]);
  expect(counts.recent("none")).toEqual([]);
});

it("the counter keeps the last reason for which a node did not answer, for an hour", () => {
  let now = 1_000 * minute;
  const counts = new NodeCounts(() => now);
  const ask = counts.meters.askedNode;
  const failure = () => counts.recent("mainnet")[0]?.failure;
  ask("mainnet", "away", 1, "https://a.example", "HTTP status 500");
  now += minute;
  ask("mainnet", "limited", 1, "https://a.example", "HTTP status 429: less");
  ask("mainnet", "away", 1, "https://b.example", "no answer in time");
  ask("mainnet", "answered", 1, "https://a.example");
  expect(failure()).toEqual({ at: 1_001 * minute, why: "HTTP status 429: less" });
  now += 59 * minute;
  ask("mainnet", "answered", 1, "https://a.example");
  expect(failure()).toEqual({ at: 1_001 * minute, why: "HTTP status 429: less" });
  now += minute;
  expect(failure()).toBeUndefined();
});

it("the counter forgets entries older than an hour", () => {
  let now = 1_000 * minute;
  const counts = new NodeCounts(() => now);
  const ask = () => counts.meters.askedNode("mainnet", "answered", 1, "https://a.example");
  const total = () => counts.recent("mainnet").map(({ requests }) => requests.answered);
  ask();
  now += 59 * minute;
  ask();
  expect(total()).toEqual([2]);
  now += minute;
  expect(total()).toEqual([1]);
  now += 59 * minute;
  expect(total()).toEqual([]);
});

it("the counter forgets counts of future minutes after the clock was set back", () => {
  let now = 1_000 * minute;
  const counts = new NodeCounts(() => now);
  counts.meters.askedNode("mainnet", "away", 1, "https://a.example");
  now -= 600 * minute;
  counts.meters.askedNode("mainnet", "answered", 1, "https://a.example");
  expect(counts.recent("mainnet")).toMatchObject([
    { requests: { answered: 1, limited: 0, refused: 0, away: 0 }, last: "answered" },
  ]);
});
