import { beforeAll, expect, it } from "vitest";
import type { ChangeBatch } from "../../src/datasets/extract/follow.js";
import { type FollowedPlace, follow } from "../../src/datasets/extract/follow.js";
import type { DatasetKind, DatasetRow } from "../../src/datasets/tables/dataset.js";
import { finalBlock } from "../../src/runtime/chain/final-block.js";
import { Patience } from "../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../src/runtime/chain/rpc/patient-chain.js";
import { createRpcChain } from "../../src/runtime/chain/rpc-chain.js";
import { Verification } from "../../src/runtime/indexer/logs/verification.js";
import { type Contract, useAnvil } from "../support/chain/anvil.js";
import { compileMixedTokens, createTransferDecoder } from "../support/chain/mixed-tokens.js";

const anvil = useAnvil();
let token: Contract;

beforeAll(async () => {
  const { abi, bytecode } = compileMixedTokens();
  token = await anvil().deploy(abi, bytecode);
});

const kinds: readonly DatasetKind[] = [
  "raw_blocks",
  "raw_transactions",
  "raw_logs",
  "raw_traces",
  "decoded_logs",
  "erc20_transfers",
  "erc721_transfers",
  "erc1155_transfers",
];
const decoder = createTransferDecoder();

/** What a reader holds that applies every change; a change that does not fit is an error. */
class Held {
  readonly rows = new Map<unknown, DatasetRow>();
  deleted = 0;

  apply({ changes }: ChangeBatch): void {
    for (const { operation, row } of changes) {
      expect(this.rows.has(row.id), `${operation} ${String(row.id)}`).toBe(operation === "d");
      if (operation === "i") this.rows.set(row.id, row);
      else {
        expect(this.rows.get(row.id)).toEqual(row);
        this.rows.delete(row.id);
        this.deleted += 1;
      }
    }
  }
}

/** Changes the chain in steps, each while everybody who follows it waits for blocks. */
class Steps {
  readonly #steps: (() => Promise<void>)[];
  readonly #waiting: ((isNext: boolean) => void)[] = [];
  #followers: number;

  constructor(steps: readonly (() => Promise<void>)[], followers: number) {
    this.#steps = [...steps];
    this.#followers = followers;
  }

  /** Waits for the next step. @returns whether there was one */
  next(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      this.#take().catch(reject);
    });
  }

  /** Nobody waits any longer for someone who has failed, or is done. */
  leave(): Promise<void> {
    this.#followers -= 1;
    return this.#take();
  }

  async #take(): Promise<void> {
    if (this.#waiting.length < this.#followers) return;
    const step = this.#steps.shift();
    await step?.();
    for (const go of this.#waiting.splice(0)) go(step !== undefined);
  }
}

/**
 * Follows until the steps are over.
 * @param stops whether the extraction is stopped after every batch, and another one continues where it was
 */
async function followThrough(kind: DatasetKind, steps: Steps, stops = false): Promise<Held> {
  const patience = new Patience({ limit: 0, pause: async () => undefined, chance: () => 0.5 });
  const chain = createPatientChain(createRpcChain(anvil().client), patience);
  const held = new Held();
  const following = {
    finalOf: (head: { readonly number: number; readonly hash: string }) =>
      finalBlock(anvil().client, head, "1"),
    waitForBlocks: () => steps.next(),
    patience,
  };
  const source = { chain, verification: new Verification() };
  let place: FollowedPlace | undefined;
  try {
    for (let isOver = false; !isOver; ) {
      isOver = true;
      for await (const batch of follow(source, { kind, from: 0, decoder }, { ...following, place })) {
        held.apply(batch);
        place = batch.place;
        isOver = !stops;
        if (stops) break;
      }
    }
  } finally {
    await steps.leave();
  }
  return held;
}

const transfer = (amount: number): Promise<unknown> =>
  anvil().send(token, "transfer", [anvil().account(2), amount]);

/** Mines blocks, of which only each eighth has a transfer. */
async function sparse(first: number, blocks: number): Promise<void> {
  for (let amount = first; amount < first + blocks / 8; amount++) {
    await anvil().mine(7);
    await transfer(amount);
  }
}

const readings = [
  ...kinds.map((kind) => ({ kind, stops: false })),
  { kind: "raw_logs", stops: true },
] as const;

/** Changes of the chain: longer, shorter, and in the end 64 blocks deep. */
function reorganisations(): readonly (() => Promise<void>)[] {
  let snapshot: unknown;
  const keep = async (): Promise<void> => {
    snapshot = await anvil().client.request("evm_snapshot", []);
  };
  const undo = async (): Promise<void> => {
    await anvil().client.request("evm_revert", [snapshot]);
  };
  return [
    async () => {
      await transfer(1);
      await keep();
      for (const amount of [2, 3, 4]) await transfer(amount);
    },
    // A longer chain.
    async () => {
      await undo();
      for (const amount of [5, 6, 7, 8, 9]) await transfer(amount);
      await keep();
      await transfer(10);
      await transfer(11);
    },
    // A shorter one.
    async () => {
      await undo();
      await transfer(12);
    },
    async () => {
      await keep();
      await sparse(20, 64);
    },
    // 64 blocks deep.
    async () => {
      await undo();
      await sparse(100, 72);
    },
  ];
}

/** All follow the same chain, because making it takes longer than following it. */
let followed: readonly PromiseSettledResult<Held>[];
beforeAll(async () => {
  const steps = new Steps(reorganisations(), readings.length);
  followed = await Promise.allSettled(readings.map(({ kind, stops }) => followThrough(kind, steps, stops)));
});

it.each(
  readings,
)("$kind ends with the rows of a fresh read, through reorganisations; stops: $stops", async (reading) => {
  const outcome = followed[readings.indexOf(reading)];
  if (outcome?.status !== "fulfilled") throw outcome?.reason;
  const held = outcome.value;
  const fresh = await followThrough(reading.kind, new Steps([], 1));
  expect(held.deleted).toBeGreaterThan(reading.kind === "raw_blocks" ? 64 : 12);
  expect([...held.rows.keys()].sort()).toEqual([...fresh.rows.keys()].sort());
  for (const [id, row] of fresh.rows) expect(held.rows.get(id)).toEqual(row);
});
