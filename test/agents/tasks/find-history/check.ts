import { answerOf } from "../../runner/answer.js";
import { chainFacts } from "../../runner/chain.js";
import { askedBlock, deployPrices, priceAt } from "../../runner/prices.js";
import type { Task } from "../../runner/task.js";

export const findHistory: Task = {
  id: "find-history",
  needsServer: true,
  prepare: deployPrices,
  async check(place) {
    const answer = answerOf(place, ["block", "transaction"]);
    const block = Number(answer.block);
    if (!Number.isSafeInteger(block) || block < 1 || block > askedBlock)
      return `${answer.block} is not a block up to ${askedBlock}`;
    const asked = await priceAt(place, askedBlock);
    if ((await priceAt(place, block))?.price !== asked?.price)
      return `after block ${block} it had another value`;
    if ((await priceAt(place, block - 1))?.price === asked?.price)
      return `it had the value before block ${block}`;
    const trades = await chainFacts(place).events("Market", "Trade", block, asked?.id);
    const last = trades.findLast((trade) => trade.block === block)?.transaction;
    return String(answer.transaction).toLowerCase() === last
      ? undefined
      : `${answer.transaction} did not bring the value`;
  },
};
