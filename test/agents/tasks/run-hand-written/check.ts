import { workFile } from "../../runner/answer.js";
import { mustKeepHolders } from "../../runner/holders.js";
import type { Task } from "../../runner/task.js";

export const runHandWritten: Task = {
  id: "run-hand-written",
  abis: ["Token"],
  async check(place) {
    if (!/network: mainnet/.test(workFile(place, "subgraph.yaml"))) return "mainnet was removed";
    await mustKeepHolders(place, ".", { more: ["--network", "sepolia"] });
    return undefined;
  },
};
