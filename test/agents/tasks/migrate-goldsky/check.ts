import { chainFacts, contracts } from "../../runner/chain.js";
import { mustKeepHolders } from "../../runner/holders.js";
import { mustValidate, printedRows, sinksOf } from "../../runner/pipelines.js";
import { mustBeFlawless, run } from "../../runner/product.js";
import { type Task, Unsolved } from "../../runner/task.js";

const until = 8_214_380;

/** Headers of a webhook, and whether it is genuine. */
const webhooks = [
  [{ "goldsky-webhook-secret": "right" }, true],
  [{ "graphloom-webhook-secret": "right" }, true],
  [{ "goldsky-webhook-secret": "wrong" }, false],
  [{ "graphloom-webhook-secret": "wrong" }, false],
  [{}, false],
] as const;

export const migrateGoldsky: Task = {
  id: "migrate-goldsky",
  abis: ["Token"],
  async check(place) {
    const script = `import { isGenuine } from "./receiver.mjs";
      console.log(JSON.stringify(${JSON.stringify(webhooks)}.map(([headers]) => isGenuine(headers, "right") === true)));`;
    const { code, out, err } = await run(place, ["--input-type=module", "-e", script], place.work);
    if (code !== 0) throw new Unsolved(`receiver.mjs ended with ${code}: ${err}`);
    const expected = JSON.stringify(webhooks.map(([, isGenuine]) => isGenuine));
    if (out.trim() !== expected) return "receiver.mjs decides wrongly about a webhook";
    await mustBeFlawless(place, "subgraph.json");
    await mustKeepHolders(place, "subgraph.json");
    await mustValidate(place, "transfers.yaml");
    const [sink] = sinksOf(place, "transfers.yaml");
    if (sink?.type !== "postgres" || sink.table !== "weth_transfers" || sink.secret_name !== "WAREHOUSE")
      return "the pipeline does not write the table weth_transfers of the secret WAREHOUSE";
    const rows = await printedRows(place, "transfers.yaml");
    const transfers = await chainFacts(place).events("Token", "Transfer", until, contracts.weth);
    if (rows.length !== transfers.length)
      return `the pipeline writes ${rows.length} rows instead of ${transfers.length}`;
    return undefined;
  },
};
