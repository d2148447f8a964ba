import { isSameNumber } from "../../runner/answer.js";
import { chainFacts } from "../../runner/chain.js";
import { indexed, rowsOf } from "../../runner/product.js";
import { type Task, Unsolved } from "../../runner/task.js";

const until = 8_214_345;

export const writeFactory: Task = {
  id: "write-factory",
  abis: ["Exchange", "Market"],
  async check(place) {
    const rows = rowsOf(await indexed(place, "subgraph.json", until), "Trade");
    const facts = chainFacts(place);
    const trades = await facts.events("Market", "Trade", until);
    if (rows.length !== trades.length)
      throw new Unsolved(`there are ${rows.length} trades instead of ${trades.length}`);
    const stored = new Map(rows.map((row) => [`${row.transactionHash_} ${row.contractId_}`, row.price]));
    for (const { transaction, address, block } of trades) {
      const price = await facts.read("Market", address, "price", [], block);
      const found = stored.get(`${transaction} ${address}`);
      if (!isSameNumber(found, price))
        throw new Unsolved(`the price of the trade in ${transaction} is ${found} instead of ${price}`);
    }
    return undefined;
  },
};
