import { expect, test } from "vitest";
import { nextStep, type Situation } from "../../../src/hosting/graph-node/next-step.js";

const name = "graphloom-1/Qm";
const running = { node: "default", paused: false };
const paused = { node: "default", paused: true };
const unassigned = { node: null, paused: null };
const ours = (isPaused?: boolean) => ({ name, isPaused });

test.each<[string, Omit<Situation, "name">, string, string?]>([
  ["what it does not have", { wish: "started", told: undefined, asked: undefined }, "deploy"],
  ["what it has lost", { wish: "started", told: undefined, asked: ours(false) }, "deploy"],
  ["what nobody indexes", { wish: "started", told: unassigned, asked: ours(false) }, "deploy"],
  ["what somebody else has deployed", { wish: "started", told: running, asked: undefined }, "deploy"],
  ["an old name", { wish: "started", told: running, asked: { name: "graphloom/Qm" } }, "deploy"],
  ["what runs", { wish: "started", told: running, asked: ours(false) }, "none"],
  ["what was paused here", { wish: "started", told: paused, asked: ours(true) }, "resume"],
  ["what may have been paused here", { wish: "started", told: paused, asked: ours() }, "resume"],
  ["what was paused there", { wish: "started", told: paused, asked: ours(false) }, "none", "paused"],
  ["what is to stop", { wish: "paused", told: running, asked: ours(false) }, "pause"],
  ["what may be to stop", { wish: "paused", told: running, asked: ours() }, "pause"],
  ["what has stopped", { wish: "paused", told: paused, asked: ours(false) }, "none"],
  ["what was resumed there", { wish: "paused", told: running, asked: ours(true) }, "none", "resumed"],
  ["what is to stop and is not there", { wish: "paused", told: undefined, asked: undefined }, "none"],
  [
    "what is unassigned after a deployment",
    { wish: "started", told: unassigned, asked: ours(), isDeployed: true },
    "none",
    "unassigned",
  ],
])("of %s", (_, situation, step, hold) => {
  const found = nextStep({ name, ...situation });
  expect([found.step, found.hold?.kind]).toEqual([step, hold]);
});
