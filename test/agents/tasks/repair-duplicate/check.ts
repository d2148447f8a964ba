import { mustKeepHolders } from "../../runner/holders.js";
import { mustBeFlawless } from "../../runner/product.js";
import type { Task } from "../../runner/task.js";

export const repairDuplicate: Task = {
  id: "repair-duplicate",
  abis: ["Token"],
  async check(place) {
    await mustBeFlawless(place, "subgraph.json");
    await mustKeepHolders(place, "subgraph.json");
    return undefined;
  },
};
