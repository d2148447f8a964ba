import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { openRecording } from "../../../src/machine/serve-recording.js";
import { RecordedChain } from "../../../src/runtime/recording/recorded-chain.js";
import { until } from "../../support/until.js";
import { workplace } from "../harness.js";
import { startDev } from "./started-dev.js";

const path = new URL("../../../examples/demo/recording.jsonl.gz", import.meta.url).pathname;

describe("dev --demo", () => {
  it("shows entities and a page for queries without a node", async () => {
    const dev = await startDev(workplace(), "--demo --port 0");
    await dev.firstAnswer("{ _meta { deployment } }");
    const { prices } = await until(async () => {
      const data = await dev.query("{ prices(orderBy: pair) { pair price trade { trader } } }");
      return (data.prices as readonly { trade: unknown }[]).filter(({ trade }) => trade).length === 2 && data;
    });
    expect(prices).toEqual([
      {
        pair: "LOOM/WETH",
        price: expect.stringMatching(/^0\.0004\d+$/),
        trade: { trader: expect.any(String) },
      },
      {
        pair: "WETH/HUSD",
        price: expect.stringMatching(/^3[3-6]\d\d\.\d+$/),
        trade: { trader: expect.any(String) },
      },
    ]);
    const page = await fetch(dev.address, { headers: { accept: "text/html" } });
    expect(await page.text()).toContain("graphiql");
    expect((await dev.interrupt()).code).toBe(0);
  });

  it("says where it listens when its usual port is in use", async () => {
    const taken = createServer();
    // Another test, or a dev of the developer's own, may have it: then it is in use, too.
    await new Promise<void>((resolve) => {
      taken.once("error", () => resolve());
      taken.listen(8030, "127.0.0.1", () => resolve());
    });
    onTestFinished(() => void taken.close());
    const dev = await startDev(workplace(), "--demo");
    const { origin } = new URL(dev.address);
    expect(origin).not.toBe("http://127.0.0.1:8030");
    expect(dev.said()).toContain(`Port 8030 is in use, so dev listens at ${origin}.\n`);
    expect((await dev.interrupt()).code).toBe(0);
  });

  it("simulates a chain with a reorganisation", async () => {
    const recording = await openRecording(path);
    let now = 0;
    const chain = new RecordedChain(recording, () => now);
    const heads: { readonly number: number; readonly hash: string }[] = [];
    for (; heads.length < recording.blocks.length - recording.history; now += recording.interval)
      heads.push(chain.head);
    const lost = heads.filter(({ number, hash }) => chain.block(number)?.hash !== hash);
    expect(new Set(lost).size).toBe(2);
    expect(new Set(heads.map(({ hash }) => hash)).size).toBeGreaterThan(600);
  });
});
