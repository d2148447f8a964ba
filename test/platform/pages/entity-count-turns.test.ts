import { expect, it } from "vitest";
import type { HostedStorage } from "../../../src/hosting/engine.js";
import { createEntityCounts } from "../../../src/platform/pages/entity-counts.js";
import type { Database } from "../../../src/store/database/database.js";
import { layout } from "./entities/columns.js";

it("Few counts of entities run at once, for each project and for all, and their durations exclude the wait.", async () => {
  const clock = { now: 0 };
  const world = { now: () => clock.now, timeout: () => new AbortController().signal };
  const running: (() => void)[] = [];
  const query = async (): Promise<[]> => {
    await new Promise<void>((resolve) => running.push(resolve));
    return [];
  };
  const database = { provider: "postgres", query } as unknown as Database;
  const storageOf = (deployment: string, number = 1): HostedStorage =>
    ({
      database,
      layout,
      deployment: { deployment, head: { number, hash: "0x" } },
    }) as unknown as HostedStorage;
  const countsOf = createEntityCounts(world);
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  const many = ["a", "b", "c", "d", "e"].map((deployment) => countsOf("many", storageOf(deployment)));
  await settled();
  expect(running).toHaveLength(2);
  const one = countsOf("one", storageOf("f"));
  const other = countsOf("other", storageOf("g"));
  await settled();
  expect(running).toHaveLength(3);
  clock.now += 60_000;
  for (let ended = 0; ended < 7; ended += 1) {
    running.shift()?.();
    await settled();
  }
  expect((await Promise.all([...many, one, other])).map((counts) => counts?.size)).toEqual(Array(7).fill(0));
  // The last one took no time once it ran, so its next count may begin soon.
  clock.now += 5_000;
  const next = countsOf("many", storageOf("e", 2));
  await settled();
  expect(running).toHaveLength(1);
  running.shift()?.();
  expect((await next)?.size).toBe(0);
});
