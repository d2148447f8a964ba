import { expect, test } from "vitest";
import { nextStep, type Situation } from "../../../src/hosting/graph-node/follower.js";

const name = "graphloom-1/Qm";
const running = { node: "default", paused: false };
const paused = { node: "default", paused: true };
const unassigned = { node: null, paused: null };
const ours = (isPaused?: boolean) => ({ name, isPaused });

test.each<[string, Omit<Situation, "name">, string, string?]>([
  [
    "a deployment that graph-node does not have",
    { wish: "started", told: undefined, asked: undefined },
    "deploy",
  ],
  [
    "a deployment that graph-node has lost",
    { wish: "started", told: undefined, asked: ours(false) },
    "deploy",
  ],
  ["a deployment that is not assigned", { wish: "started", told: unassigned, asked: ours(false) }, "deploy"],
  [
    "a deployment that somebody else has deployed",
    { wish: "started", told: running, asked: undefined },
    "deploy",
  ],
  [
    "a deployment under an old name",
    { wish: "started", told: running, asked: { name: "graphloom/Qm" } },
    "deploy",
  ],
  ["a running deployment", { wish: "started", told: running, asked: ours(false) }, "none"],
  ["a deployment that was paused here", { wish: "started", told: paused, asked: ours(true) }, "resume"],
  ["a deployment that may have been paused here", { wish: "started", told: paused, asked: ours() }, "resume"],
  [
    "a deployment that an operator paused",
    { wish: "started", told: paused, asked: ours(false) },
    "none",
    "paused",
  ],
  ["a deployment to pause", { wish: "paused", told: running, asked: ours(false) }, "pause"],
  [
    "a deployment to pause that may already be paused",
    { wish: "paused", told: running, asked: ours() },
    "pause",
  ],
  ["a paused deployment", { wish: "paused", told: paused, asked: ours(false) }, "none"],
  [
    "a deployment that an operator resumed",
    { wish: "paused", told: running, asked: ours(true) },
    "none",
    "resumed",
  ],
  [
    "a deployment to pause that graph-node does not have",
    { wish: "paused", told: undefined, asked: undefined },
    "none",
  ],
  [
    "a deployment that is unassigned after it was deployed",
    { wish: "started", told: unassigned, asked: ours(), isDeployed: true },
    "none",
    "unassigned",
  ],
])("the engine takes the right next step for %s", (_, situation, step, hold) => {
  const found = nextStep({ name, ...situation });
  expect([found.step, found.hold?.kind]).toEqual([step, hold]);
});
