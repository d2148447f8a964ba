import { beforeAll, expect, it } from "vitest";
import { follow } from "../../src/datasets/extract/follow.js";
import { type DatasetKind, type DatasetRow, datasetKinds } from "../../src/datasets/tables/dataset.js";
import type { BlockPointer } from "../../src/runtime/chain/chain.js";
import { finalBlock } from "../../src/runtime/chain/final-block.js";
import { createPatience } from "../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../src/runtime/chain/rpc/patient-chain.js";
import type { RpcClient } from "../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../src/runtime/chain/rpc-chain.js";
import { Verification } from "../../src/runtime/indexer/logs/verification.js";
import { type Contract, callOf, useAnvil } from "../support/chain/anvil.js";
import { compileMixedTokens, createTransferDecoder } from "../support/chain/mixed-tokens.js";

const anvil = useAnvil();
let tokens: Contract;
/** The newest block that no reorganisation of these tests replaces. */
let base: number;
let snapshot: string;
const decoder = createTransferDecoder();

beforeAll(async () => {
  const { abi, bytecode } = compileMixedTokens();
  tokens = await anvil().deploy(abi, bytecode);
  base = await anvil().blockNumber();
  snapshot = await anvil().snapshot();
});

/** Whether blocks were replaced since the reader last waited for new ones. */
let isChanged = false;
let amount = 0;
async function addBlocks(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    const transfers = [++amount, ++amount].map((one) =>
      callOf(tokens, "transfer", [anvil().account(2), one], { gas: 200_000 }),
    );
    await anvil().inOneBlock(transfers);
  }
}

/** Replaces all blocks after the base. */
async function replaceBlocks(blocks: number): Promise<void> {
  await anvil().revert(snapshot);
  snapshot = await anvil().snapshot();
  await addBlocks(blocks);
  isChanged = true;
}

/** Reads up to the head. @param client sees every request */
async function read(kind: DatasetKind, client: RpcClient): Promise<ReadonlyMap<unknown, DatasetRow>> {
  const patience = createPatience({});
  const chain = createPatientChain(createRpcChain(client), patience);
  const rows = new Map<unknown, DatasetRow>();
  const following = {
    finalOf: (head: BlockPointer) => finalBlock(client, head, "1"),
    waitForBlocks: async () => {
      const looksAgain = isChanged;
      isChanged = false;
      return looksAgain;
    },
    patience,
    place: { next: base + 1, open: [] },
  };
  const source = { chain, verification: new Verification() };
  for await (const { changes } of follow(source, { kind, from: 0, decoder }, following))
    for (const { operation, row } of changes) {
      expect(rows.has(row.id), `${operation} ${String(row.id)}`).toBe(operation === "d");
      if (operation === "i") rows.set(row.id, row);
      else rows.delete(row.id);
    }
  return rows;
}

it.each(datasetKinds)("%s are whole if a reorganisation comes before any one request", async (kind) => {
  for (let nth = 1, asked = nth; asked >= nth; nth++) {
    asked = 0;
    await replaceBlocks(2);
    const { client } = anvil();
    const interrupted: RpcClient = {
      async request(method, parameters, options) {
        if (++asked === nth) await replaceBlocks(nth % 2 === 0 ? 2 : 3);
        return client.request(method, parameters, options);
      },
    };
    const rows = await read(kind, interrupted);
    const expected = await read(kind, client);
    expect(rows, `before request ${nth}`).toEqual(expected);
    expect(rows.size).toBeGreaterThan(1);
  }
});
