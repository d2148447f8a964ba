import { beforeAll, describe, expect, it } from "vitest";
import type { Compilation } from "../../../src/exports/index.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import type { CommitOptions, Store } from "../../../src/runtime/store/store.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { runOn } from "../harness.js";
import { buildTokens, deployFactory } from "../token-subgraph.js";

/** Blocks this near the head are written one by one. */
const near = 16;

const anvil = useAnvil();
let built: Compilation;
beforeAll(async () => {
  const factory = await deployFactory(anvil());
  for (let time = 0; time < 3; time++) await anvil().send(factory, "make", [1]);
  await anvil().mine(300);
  built = await buildTokens(factory.address);
});

type Told = readonly ["commit", block: number, more: boolean] | readonly ["flush"];

/** A store that records the calls of its methods. */
function notingStore(): { readonly store: Store; readonly told: Told[] } {
  const told: Told[] = [];
  const text = String(built.files.get("build/schema.graphql"));
  class Noting extends MemoryStore {
    override async commit(...[block, writes, options]: Parameters<Store["commit"]>): Promise<void> {
      told.push(["commit", block.number, (options satisfies CommitOptions | undefined)?.more === true]);
      await super.commit(block, writes);
    }
    async flush(): Promise<void> {
      told.push(["flush"]);
    }
  }
  return { store: new Noting(readEntitySchema(text)), told };
}

describe("commits that announce more blocks", () => {
  it("announces more blocks until they are near the head, and flushes the store at the end", async () => {
    const { store, told } = notingStore();
    await runOn(anvil(), built, { store });
    const head = await anvil().blockNumber();
    const commits = told.filter((one) => one[0] === "commit");
    const held = commits.filter(([, , more]) => more).map(([, block]) => block);
    const written = commits.filter(([, , more]) => !more).map(([, block]) => block);
    expect(held.length).toBeGreaterThan(0);
    expect(Math.max(...held)).toBeLessThan(head - near);
    expect(written).toEqual(
      Array.from({ length: near + 1 }, (_, index) => head - near + index).filter((block) =>
        written.includes(block),
      ),
    );
    expect(written.at(-1)).toBe(head);
    expect(told.at(-1)).toEqual(["flush"]);
  });

  it("gives the store time to write after every block", async () => {
    const { store, told } = notingStore();
    const order: string[] = [];
    await runOn(anvil(), built, {
      store,
      onBlock: ({ number }) => order.push(`block ${number}`),
      breathe: async () => {
        order.push(`breath after ${told.findLast(([kind]) => kind === "commit")?.[1]}`);
      },
    });
    const blocks = told.flatMap((one) => (one[0] === "commit" ? [one[1]] : []));
    expect(order).toEqual(blocks.flatMap((number) => [`block ${number}`, `breath after ${number}`]));
  });

  it("flushes the store before it waits for blocks, and when the run ends early", async () => {
    const { store, told } = notingStore();
    const early = new AbortController();
    await runOn(anvil(), built, {
      store,
      to: 3,
      signal: early.signal,
      onBlock: (block) => {
        if (block.number >= 1) early.abort();
      },
    });
    expect(told.at(-1)).toEqual(["flush"]);
    expect(told.filter(([kind]) => kind === "commit").every(([, , more]) => more)).toBe(true);
    told.length = 0;
    let waits = 0;
    await runOn(anvil(), built, {
      store,
      waitForBlocks: async () => {
        waits += 1;
        expect(told.at(-1)).toEqual(["flush"]);
        return false;
      },
    });
    expect(waits).toBe(1);
  });
});
