import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serveRecording } from "../../../src/machine/serve-recording.js";
import { event, fn } from "../../compiler/abi/entries.js";
import { madeToken, makeRecording } from "../../support/chain/made-recording.js";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { graphloom, workplace } from "../harness.js";

/*
 * How near plans come to what runs take, on chains of several shapes that are played from memory. By default on two short
 * chains; `npm run campaign:plan` plans and runs all shapes with longer ones.
 */

const isCampaign = process.env.GRAPHLOOM_PLAN_BLOCKS !== undefined;
const blocks = Number(process.env.GRAPHLOOM_PLAN_BLOCKS ?? 1_500);

/** The number of transfers in a block, and whether the subgraph reads a contract for each. */
const shapes: readonly (readonly [name: string, calls: boolean, transfersIn: (block: number) => number])[] = [
  ["all logs in the last tenth, with contract reads", true, (block) => (block > blocks * 0.9 ? 1 : 0)],
  [
    "bursts, without contract reads",
    false,
    (block) => (block % Math.floor(blocks / 7) < blocks / 200 ? 2 : 0),
  ],
  ["a log in every tenth block, with contract reads", true, (block) => (block % 10 === 3 ? 1 : 0)],
  ["a log in every block, without contract reads", false, () => 1],
  ["nothing, then many logs, with contract reads", true, (block) => (block > blocks / 2 ? block % 3 : 0)],
  ["a single log, without contract reads", false, (block) => (block === Math.floor(blocks / 3) ? 1 : 0)],
];

function config(calls: boolean): string {
  const abis = {
    Token: [
      event("Transfer", "indexed address from", "indexed address to", "uint256 value"),
      fn("balanceOf", "view", ["address owner"], ["uint256"]),
    ],
  };
  const Transfer = {
    ...(calls && { calls: { balance: { name: "balanceOf", params: "event.params.to" } } }),
    entities: { Note: { "value uint256": calls ? "calls.balance" : "event.params.value" } },
  };
  const token = { abi: "Token", address: madeToken, startBlock: 1, chain: "mainnet" };
  const instances = [{ ...token, enrich: { handlers: { Transfer } } }];
  return JSON.stringify({ version: "1", name: "made/1.0.0", abis, instances });
}

it.each(isCampaign ? shapes : shapes.slice(0, 2))(
  "a plan is within twice of the run: %s",
  { timeout: isCampaign ? 3_600_000 : 300_000 },
  async (name, calls, transfersIn) => {
    const cwd = workplace();
    writeFileSync(join(cwd, "subgraph.json"), config(calls));
    const node = await serveRecording(makeRecording(blocks, transfersIn), { now: () => 0 });
    const line = `run subgraph.json --rpc mainnet=${node.url} --plan --database db --archive kept --last 0 --output json`;
    const { code, out, err } = await graphloom(cwd, line, { env: sharedCache });
    await node.close();
    expect(code, err).toBe(0);
    if (isCampaign) console.log(`${name}\n${err.slice(err.indexOf("mainnet: planned and real"))}`);
    const figures: readonly { figure: string; unit: string; planned: number; real: number }[] =
      JSON.parse(out).mainnet.plan;
    expect(figures.map(({ figure }) => figure)).toContain("archive");
    for (const { figure, unit, planned, real } of figures) {
      // Time depends on what else this machine does; and of a few calls, one more is much.
      if (unit === "seconds" || (unit === "calls" && real < 20)) continue;
      expect(planned / real, `${figure}: ${planned} planned, ${real} real`).toBeGreaterThan(0.5);
      expect(planned / real, `${figure}: ${planned} planned, ${real} real`).toBeLessThan(2);
    }
  },
);
