import { expect, it } from "vitest";
import type { Engine, HostedStatus } from "../../../src/hosting/engine.js";
import { percentOf } from "../../../src/platform/subgraphs/progress.js";
import { type Log, readStatuses } from "../../../src/platform/subgraphs/read-statuses.js";

const healthy: HostedStatus = { health: "healthy", isSynced: true, nonFatalErrors: [], startBlock: 1 };

/** An engine that fails while `isAway` is set. */
function playedEngine(name: string) {
  const played = { isAway: false, asked: [] as (readonly string[])[] };
  const status: Engine["status"] = async (deployments) => {
    played.asked.push(deployments);
    if (played.isAway) throw new Error("away");
    return new Map(deployments.map((one) => [one, healthy]));
  };
  return { played, engine: { name, status } as unknown as Engine };
}

const builds = [
  { deployment: "QmA", engine: "one" },
  { deployment: "QmA", engine: "one" },
  { deployment: "QmB", engine: "two" },
  { deployment: "QmC", engine: "none" },
];

it("each engine is queried once, and an unreachable one is logged once until it answers again", async () => {
  const [one, two] = [playedEngine("one"), playedEngine("two")];
  const logged: unknown[] = [];
  const log = { warn: (fields: { readonly engine: string }) => logged.push(fields.engine) } as unknown as Log;
  const read = async () => {
    const { known, silent } = await readStatuses({ engines: [one.engine, two.engine] }, builds, log);
    return [[...known.keys()], [...silent].sort()];
  };
  two.played.isAway = true;
  expect(await read()).toEqual([["QmA"], ["none", "two"]]);
  expect(await read()).toEqual([["QmA"], ["none", "two"]]);
  expect([one.played.asked[0], logged]).toEqual([["QmA"], ["two"]]);
  two.played.isAway = false;
  expect(await read()).toEqual([["QmA", "QmB"], ["none"]]);
  two.played.isAway = true;
  await read();
  expect(logged).toEqual(["two", "two"]);
});

it.each([
  ["unknown without the chain's head", {}, undefined],
  ["0 before the first block", { chainHeadBlock: 109 }, 0],
  ["the share of blocks that are indexed", { chainHeadBlock: 109, headBlock: 34 }, 25],
  ["never above 100", { chainHeadBlock: 109, headBlock: 112 }, 100],
  ["0 while the chain is before the start", { chainHeadBlock: 5 }, 0],
  ["100 while the chain is before the start, if it is synced", { chainHeadBlock: 5, isSynced: true }, 100],
])("the progress is %s", (_, known, percent) => {
  expect(percentOf({ startBlock: 10, isSynced: false, ...known })).toBe(percent);
});
