import { mustKeepHolders } from "../../runner/holders.js";
import type { Task } from "../../runner/task.js";

export const repairAbi: Task = {
  id: "repair-abi",
  abis: ["Token"],
  async check(place) {
    await mustKeepHolders(place, "subgraph.json");
    return undefined;
  },
};
