import { mustKeepHolders } from "../../runner/holders.js";
import type { Task } from "../../runner/task.js";

export const repairEvent: Task = {
  id: "repair-event",
  abis: ["Token"],
  async check(place) {
    await mustKeepHolders(place, "subgraph.json");
    return undefined;
  },
};
