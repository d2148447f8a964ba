import { chainFacts, contracts } from "../../runner/chain.js";
import { indexed, rowsOf } from "../../runner/product.js";
import { type Task, Unsolved } from "../../runner/task.js";

const until = 8_214_345;
const zero = `0x${"0".repeat(40)}`;

export const writeToken: Task = {
  id: "write-token",
  abis: ["Token"],
  async check(place) {
    const entities = await indexed(place, "subgraph.json", until);
    if (entities.has("Approval")) throw new Unsolved("approvals are stored as well");
    const rows = rowsOf(entities, "Transfer");
    const transfers = await chainFacts(place).events("Token", "Transfer", until, contracts.weth);
    if (rows.length !== transfers.length)
      throw new Unsolved(`there are ${rows.length} transfers instead of ${transfers.length}`);
    const wrong = rows.find(({ from, isMint }) => isMint !== (from === zero));
    return wrong && `isMint of a transfer from ${wrong.from} is ${wrong.isMint}`;
  },
};
