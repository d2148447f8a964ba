import { isSameNumber } from "../../runner/answer.js";
import { chainFacts, contracts } from "../../runner/chain.js";
import { indexed, rowsOf } from "../../runner/product.js";
import { type Task, Unsolved } from "../../runner/task.js";

const until = 8_214_345;
const large = 1_000n * 10n ** 18n;

export const enrichEvent: Task = {
  id: "enrich-event",
  abis: ["Token"],
  async check(place) {
    const entities = await indexed(place, "subgraph.json", until);
    const transfers = new Map(
      rowsOf(entities, "Transfer").map((row) => [`${row.transactionHash_} ${row.to}`, row]),
    );
    const accounts = new Map(rowsOf(entities, "Account").map((row) => [String(row.id).toLowerCase(), row]));
    const facts = chainFacts(place);
    const last = new Map<string, bigint>();
    for (const { transaction, block, params } of await facts.events(
      "Token",
      "Transfer",
      until,
      contracts.weth,
    )) {
      const account = String(params.to);
      const balance = BigInt(
        String(await facts.read("Token", contracts.weth, "balanceOf", [account], block)),
      );
      last.set(account, balance);
      const found = transfers.get(`${transaction} ${account}`)?.balance;
      if (!isSameNumber(found, balance))
        throw new Unsolved(`balance of the transfer in ${transaction} is ${found} instead of ${balance}`);
    }
    if (accounts.size !== last.size)
      throw new Unsolved(`there are ${accounts.size} accounts instead of ${last.size}`);
    for (const [account, balance] of last) {
      const found = accounts.get(account);
      if (!isSameNumber(found?.balance, balance))
        throw new Unsolved(`balance of ${account} is ${found?.balance} instead of ${balance}`);
      if (found?.isLarge !== balance >= large)
        throw new Unsolved(`isLarge of ${account}, with a balance of ${balance}, is ${found?.isLarge}`);
    }
    return undefined;
  },
};
