import { expect, it } from "vitest";
import { keepTokens } from "../../../src/cli/data/sync-data.js";
import { ClickHouseError } from "../../../src/pipelines/sinks/clickhouse-server.js";
import { ChainError } from "../../../src/runtime/chain/chain.js";
import { DatabaseError } from "../../../src/store/database/database.js";

const world = { timeout: () => AbortSignal.timeout(1) };
const outages = [
  new ChainError("the node is down"),
  new DatabaseError("the connection is gone"),
  new ClickHouseError("the server is down", undefined),
];

it.each(outages)("data sync looks for new tokens again after $message", async (outage) => {
  let looks = 0;
  const tokens = keepTokens(
    async () => {
      looks += 1;
      if (looks < 3) throw outage;
    },
    world,
    new AbortController().signal,
  );
  await expect.poll(() => looks).toBeGreaterThan(3);
  tokens.end();
  await tokens.done();
});

it("data sync looks once more at the end, and says if a database fails then", async () => {
  const look = async (outage: Error | undefined, isAborted: boolean): Promise<number> => {
    const ending = new AbortController();
    let looks = 0;
    const tokens = keepTokens(
      async () => {
        looks += 1;
        if (outage) throw outage;
      },
      { timeout: () => new AbortController().signal },
      ending.signal,
    );
    tokens.end();
    if (isAborted) ending.abort();
    await tokens.done();
    return looks;
  };
  expect(await look(undefined, false)).toBe(1);
  expect(await look(undefined, true)).toBe(0);
  expect(await look(outages[0], false)).toBe(1);
  for (const outage of outages.slice(1)) await expect(look(outage, false)).rejects.toBe(outage);
});

it("data sync stops after a bug", async () => {
  const tokens = keepTokens(
    () => Promise.reject(new TypeError("a bug")),
    world,
    new AbortController().signal,
  );
  await expect(tokens.done()).rejects.toThrow("a bug");
});
