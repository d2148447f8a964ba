import { expect, test } from "vitest";
import type { HostedDeployment } from "../../src/hosting/embedded/hosted-deployment.js";
import { hostedStatus } from "../../src/hosting/embedded/hosted-status.js";
import type { NodeTrouble } from "../../src/rpc/node-watch.js";
import type { DeploymentHealth } from "../../src/store/deployments/health.js";

const state: DeploymentHealth = {
  health: "healthy",
  isSynced: true,
  startBlock: 1,
  namespace: "sgd1",
  nonFatalErrors: [],
  latestBlock: { number: 162, hash: "0xa2" },
};
const hosted = (more = {}) =>
  ({ network: "mainnet", isPaused: false, isFinished: false, ...more }) as HostedDeployment;
const head = { number: 162, hash: "0xa2" };
const why =
  "The node of mainnet has had no new block since 2026-11-23 12:04:00 UTC: it is still at block 162";
const idle: NodeTrouble = { kind: "stuck", since: 7, why };

test("an idle chain is not an error of a subgraph, and is reported beside its health", () => {
  const status = hostedStatus(state, hosted(), head, idle);
  expect(status).toMatchObject({ health: "healthy", nonFatalErrors: [], idleChain: { since: 7, why } });
  expect(status.nodeState).toBeUndefined();
});

test("an idle chain is not reported for a subgraph that does not wait for it", () => {
  for (const resting of [{ isPaused: true }, { isFinished: true }])
    expect(hostedStatus(state, hosted(resting), head, idle).idleChain).toBeUndefined();
});

test("an unreachable node makes a subgraph unhealthy, but is not a deterministic error", () => {
  const away: NodeTrouble = { kind: "away", since: 7, why: "No answer from the node of mainnet" };
  const status = hostedStatus(state, hosted({ waitsFor: "the files" }), head, away);
  expect(status).toMatchObject({ health: "unhealthy", nodeState: away });
  expect(status.nonFatalErrors).toEqual([
    { message: away.why, isDeterministic: false },
    { message: "the files", isDeterministic: false },
  ]);
});
