import { mustKeepHolders } from "../../runner/holders.js";
import type { Task } from "../../runner/task.js";

export const repairExpression: Task = {
  id: "repair-expression",
  abis: ["Token"],
  async check(place) {
    await mustKeepHolders(place, "subgraph.json", { decimals: 18 });
    return undefined;
  },
};
