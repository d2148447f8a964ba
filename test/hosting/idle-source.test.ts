import { expect, test } from "vitest";
import { idleSourceOf } from "../../src/hosting/embedded/idle-source.js";
import type { DeploymentHealth } from "../../src/store/deployments/health.js";

const at = (number: number, more: Partial<DeploymentHealth> = {}): DeploymentHealth => ({
  health: "healthy",
  isSynced: true,
  startBlock: 1,
  namespace: "sgd1",
  nonFatalErrors: [],
  latestBlock: { number, hash: "0xa" },
  ...more,
});
const failed = (since?: number) => ({
  fatalError: { message: "boom", deterministic: true, block: { number: 9 }, ...(since && { since }) },
});

test.each<[string | undefined, DeploymentHealth | undefined, { mayRead?: boolean; isPaused?: boolean }]>([
  [undefined, at(7), {}],
  ["Its source QmS is not in this project", at(7), { mayRead: false }],
  ["Its source QmS is not indexed yet", undefined, {}],
  ["Its source QmS is paused after block 7", at(7), { isPaused: true }],
  [undefined, at(8), { isPaused: true }],
  ["Its source QmS has failed at block 9", at(7, failed()), {}],
  ["Its source QmS keeps failing at block 9", at(7, failed(1)), {}],
])("a composed subgraph says which source it waits for: %s", async (why, source, {
  mayRead = true,
  isPaused = false,
}) => {
  const sources = [{ deployment: "QmS", mayRead: async () => mayRead }];
  const states = new Map(source ? [["QmS", source]] : []);
  expect(await idleSourceOf({ sources }, at(7), states, () => ({ isPaused }))).toBe(why);
});
