import { expect, test } from "vitest";
import type { Gateway } from "../../src/rpc/gateway.js";
import { readBlock } from "../../src/rpc/read-block.js";
import { fastWorld } from "../support/worlds.js";

const asker = { kind: "edge", project: "", name: "test" } as const;

function absent(trouble: Gateway["trouble"]) {
  let asked = 0;
  const gateway = {
    name: "http://127.0.0.1:1",
    trouble,
    glance: async () => undefined,
    answer: async () => {
      asked += 1;
      return { status: 503, bytes: new TextEncoder().encode("refused"), silence: "away" as const };
    },
  };
  return { gateway, asked: () => asked };
}

test("a node that is known to be away is not asked, and its trouble is the answer", async () => {
  const why = "The node of mainnet has not answered since 12:00:00: connection refused.";
  const { gateway, asked } = absent({ kind: "away", since: 0, why });
  await expect(readBlock(gateway, asker, fastWorld(), 7)).rejects.toThrow(
    /^The node of mainnet has not answered since 12:00:00: connection refused$/,
  );
  expect(asked()).toBe(0);
});

test("a node that cannot be reached is asked again for at most a second", async () => {
  const { gateway, asked } = absent(undefined);
  const world = fastWorld();
  await expect(readBlock(gateway, asker, world, 7)).rejects.toMatchObject({ name: "BlockUnread" });
  expect(asked()).toBeGreaterThan(1);
  expect(world.waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThanOrEqual(1_000);
});
