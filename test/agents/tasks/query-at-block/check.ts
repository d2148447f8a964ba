import { answerOf, isSameNumber } from "../../runner/answer.js";
import { askedBlock, deployPrices, priceAt } from "../../runner/prices.js";
import type { Task } from "../../runner/task.js";

export const queryAtBlock: Task = {
  id: "query-at-block",
  needsServer: true,
  prepare: deployPrices,
  async check(place) {
    const { price } = answerOf(place, ["price"]);
    const right = await priceAt(place, askedBlock);
    return isSameNumber(price, right?.price) ? undefined : `${price} was not the price at that block`;
  },
};
