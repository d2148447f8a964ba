import { expect, it } from "vitest";
import { type Anvil, useAnvil } from "../support/chain/anvil.js";
import { onEither } from "../support/database/databases.js";
import { market } from "../support/market/contracts.js";
import { MarketChain } from "../support/market/market-chain.js";
import { RandomMarket } from "../support/market/random-market.js";
import { oracle } from "../support/market/simulated-market.js";
import { drawFrom } from "../support/pool/draw.js";
import type { KnownHandlers } from "./checked-writers.js";
import { compareHistories } from "./compared-histories.js";
import { compileExample, deployExample } from "./deployed-example.js";
import { onLocalChains } from "./local-chains.js";

const { fresh } = onEither();
const anvil = useAnvil();

/** What happens to an example, and what must come of it. */
interface Course {
  /** Has everything happen that the example listens to. */
  play(anvil: Anvil): Promise<void>;
  readonly storing: KnownHandlers["storing"];
  /** For each type whose entities change: an entity must have more than so many versions. */
  readonly versions: Readonly<Record<string, number>>;
}

/** The events of the market by which wallets trade. The transfer to a wallet ends the split of an adapter. */
const trades = [
  "OrderFilled",
  "PositionSplit",
  "PositionsMerge",
  "PayoutRedemption",
  "PositionsConverted",
  "TransferBatch",
];

const courses: ReadonlyMap<string, Course> = new Map([
  [
    "market",
    {
      play: playMarket,
      storing: {
        Activity: [...trades, "FeeRefunded"],
        AdapterCollateral: ["PositionSplit"],
        Balance: ["TransferSingle", "TransferBatch"],
        Condition: ["ConditionPreparation", "ConditionResolution"],
        CurrentTransaction: [...trades, "TransferSingle", "OrdersMatched", "FeeRefunded"],
        NegRiskMarket: ["QuestionPrepared"],
        OutcomeTokens: ["PositionSplit"],
        Position: trades,
      },
      // A page shows 50 versions, so that those of the current transaction are on two.
      versions: { Balance: 1, Condition: 1, CurrentTransaction: 50, NegRiskMarket: 1, Position: 1 },
    },
  ],
]);

/** A random market, and what happens in none. */
async function playMarket(anvil: Anvil): Promise<void> {
  const chain = await MarketChain.on(anvil);
  const draw = drawFrom(1);
  const random = new RandomMarket(draw);
  const { simulated } = random;
  for (const contract of Object.values(market)) {
    simulated.emit(contract, "ownershipTransferred", [oracle, market.negRiskAdapter]);
  }
  await chain.block(simulated.take());
  for (const logs of random.open()) await chain.block(logs);
  await chain.live(random, draw, 120);
  const { negRisk = "" } = simulated.conditions.find((one) => one.negRisk !== undefined) ?? {};
  const { question } = simulated.prepareQuestion(negRisk);
  await chain.block(simulated.take());
  simulated.emit(market.negRiskAdapter, "outcomeReported", [negRisk, question, true]);
  await chain.block(simulated.take());
}

it.each(
  onLocalChains,
)("the history of each entity of the example %s matches its tables, and names the handlers and lines that wrote it", {
  timeout: 400_000,
}, async (name) => {
  const course = courses.get(name);
  if (!course) throw new Error(`nothing happens to the example ${name}`);
  await course.play(anvil());
  const example = await compileExample(name);
  const nodes = new Map([...example.networks.keys()].map((network) => [network, anvil().url]));
  const deployed = await deployExample(example, await fresh(), nodes);
  const compared = await compareHistories(deployed, nodes, course.storing);
  expect([...compared].filter(([, counts]) => counts.length === 0)).toEqual([]);
  for (const [type, more] of Object.entries(course.versions)) {
    expect(Math.max(0, ...(compared.get(type) ?? [])), type).toBeGreaterThan(more);
  }
});
