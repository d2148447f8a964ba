import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { moving } from "../runtime/token-subgraph.js";
import { Anvil, useAnvil } from "../support/chain/anvil.js";
import { onPglite } from "../support/database/databases.js";
import { blocksBundle } from "./blocks.js";
import { type Doorkeeper, standBefore } from "./doorkeeper.js";
import { amounts, type Bundle, type Host, host, indexed, tokens, until } from "./hosted.js";

const anvil = useAnvil();
const { fresh } = onPglite();
const others: Anvil[] = [];
/** Other chains: with another id, longer and shorter than ours, and with our id but started anew. */
const strangers = {
  longer: ["--chain-id", "137", "--timestamp", "1600000000"],
  shorter: ["--chain-id", "137", "--timestamp", "1600000000"],
  anew: ["--timestamp", "1600000000"],
} as const;
const elsewhere = /This node serves chain 137, but the indexed data is from chain 31337\./;
const sentences = [
  ["longer", elsewhere],
  ["shorter", elsewhere],
  [
    "anew",
    /Block 0 of the node's chain is not the block that was indexed .*, both on chain 31337\)\. This happens when/,
  ],
] as const;
const made = new Map<string, Anvil>();
beforeAll(async () => {
  await fresh();
  for (const [name, flags] of Object.entries(strangers)) {
    const other = await Anvil.start(flags);
    others.push(other);
    made.set(name, other);
    await other.mine(name === "shorter" ? 1 : 400);
  }
});
afterAll(() => Promise.all(others.map((other) => other.stop())));

const stranger = (name: keyof typeof strangers): string => made.get(name)?.url ?? "";
const reverted = async (at: Host, { deployment }: Bundle): Promise<readonly string[]> =>
  (await at.log(deployment)).filter((line) => line.startsWith("The chain was reorganised"));

async function behind(work: (door: Doorkeeper) => Promise<void>): Promise<void> {
  const door = await standBefore(anvil().url);
  try {
    await work(door);
  } finally {
    await door.stop();
  }
}

describe("another chain behind a node's address", () => {
  it("halts a deployment with a reason, and reverts no block, if the new chain is longer, shorter or restarted", async () => {
    await behind(async (door) => {
      const { token, bundle } = await tokens(anvil());
      await anvil().transact(moving(anvil(), token, 1, 5));
      await anvil().mine(270);
      const server = await host({ database: await fresh(), nodes: [door.url] });
      await server.deploy(bundle);
      await indexed(server, bundle);
      const sent = [5];
      const whole = async () =>
        expect((await amounts(server, bundle)()).toSorted()).toEqual(sent.map(String));
      for (const [name, sentence] of sentences) {
        door.node = stranger(name);
        const status = await until(
          `it is held by the chain (${name})`,
          () => server.status(bundle.deployment),
          (now) => now?.nonFatalErrors.some(({ message }) => sentence.test(message)) === true,
        );
        expect(status?.health).toBe("unhealthy");
        await whole();
        door.node = anvil().url;
        const next = 5 + sent.length;
        sent.push(next);
        await anvil().transact(moving(anvil(), token, 1, next));
        await until("it has gone on", amounts(server, bundle), (found) => found.length === sent.length);
        await until(
          "it is well again",
          () => server.status(bundle.deployment),
          (now) => now?.health === "healthy",
        );
        await whole();
      }
      expect(await reverted(server, bundle)).toEqual([]);
    });
  });

  it("a node of another chain halts a deployment that was paused, or whose server was down", async () => {
    await behind(async (door) => {
      const { bundle } = await tokens(anvil());
      const database = await fresh();
      const first = await host({ database, nodes: [door.url] });
      await first.deploy(bundle);
      await indexed(first, bundle);
      await first.hosting.close();
      door.node = stranger("longer");
      const second = await host({ database, nodes: [door.url] });
      await second.hosting.reconcile();
      const held = await until(
        "it is held",
        () => second.status(bundle.deployment),
        (now) => now?.waitsFor !== undefined,
      );
      expect(held?.health).toBe("unhealthy");
      expect(held?.waitsFor).toContain("This node serves chain 137");
      const fresher = await blocksBundle("keep");
      await second.deploy(fresher, "2.0.0");
      const other = await until(
        "a new one of the network is held, too",
        () => second.status(fresher.deployment),
        (now) => now?.waitsFor !== undefined,
      );
      expect(other?.waitsFor).toContain("the indexed data is from chain 31337");
      expect(other?.headBlock).toBeUndefined();
    });
  });
});
