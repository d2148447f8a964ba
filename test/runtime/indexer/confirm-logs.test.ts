import { describe, expect, it } from "vitest";
import { Bloom } from "../../../src/runtime/chain/bloom.js";
import { type Block, type Chain, type Log, ReorgError } from "../../../src/runtime/chain/chain.js";
import { decodeBlock, decodeLog } from "../../../src/runtime/chain/decode-block.js";
import { Fields } from "../../../src/runtime/chain/fields.js";
import { confirmLogs } from "../../../src/runtime/indexer/confirm-logs.js";
import { address, hash, rawBlock, rawLog, rawTransaction } from "../../support/raw-chain.js";

const logOf = (index: number, changes: object = {}): Log =>
  decodeLog(new Fields("", rawLog(5, index, { address: address(1), topics: [hash(1)], ...changes })));
const logs = [0, 1, 2].map((index) => logOf(index, { topics: [hash(1), hash(index + 10)] }));
const other = logOf(3, { address: address(2) });
const filter = [{ addresses: [address(1)], topics: [hash(1)] }];

function blockOf(all: readonly Log[], transactions = 1): Block {
  const raw = Array.from({ length: transactions }, (_, index) => rawTransaction(index));
  const { block } = decodeBlock("", rawBlock(5, { transactions: raw }));
  return { ...block, logsBloom: Bloom.of(all).hex };
}

/** A chain that answers by block hash as it is told, each answer once and the last one for ever. */
function chainOf(...answers: readonly (readonly Log[])[]): { chain: Chain; asked: (string | undefined)[] } {
  const left = [...answers];
  const asked: (string | undefined)[] = [];
  const logsOf: Chain["logsOf"] = async (_, wanted) => {
    asked.push(wanted ? "own" : "all");
    return (left.length > 1 ? left.shift() : left[0]) ?? [];
  };
  return { asked, chain: { logsOf } as unknown as Chain };
}

const isNew = true;

describe("the logs of a block near the head", () => {
  it("cost nothing where the header has none of the filter", async () => {
    const { chain, asked } = chainOf([]);
    expect(await confirmLogs(chain, blockOf([other]), { filter, found: [], isNew })).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("are held against the header, with all others of the block", async () => {
    const { chain, asked } = chainOf([...logs, other]);
    expect(await confirmLogs(chain, blockOf([...logs, other]), { filter, found: logs, isNew })).toEqual(logs);
    expect(asked).toEqual(["all"]);
  });

  it("are found although two answers lack the same one", async () => {
    const { chain } = chainOf(logs.slice(1), logs);
    expect(await confirmLogs(chain, blockOf(logs), { filter, found: logs.slice(1), isNew })).toEqual(logs);
  });

  it("are found although what is lacking is like another in all its topics", async () => {
    const twins = [0, 1, 2].map((index) => logOf(index));
    const { chain } = chainOf(twins.slice(1), twins);
    expect(await confirmLogs(chain, blockOf(twins), { filter, found: twins.slice(1), isNew })).toEqual(twins);
  });

  it("may be numbered in a way of the chain's own", async () => {
    const odd = [1, 3].map((index) => logOf(index));
    const { chain } = chainOf(odd);
    expect(await confirmLogs(chain, blockOf(odd), { filter, found: odd, isNew })).toEqual(odd);
  });

  it.each([
    ["all", []],
    ["some", logs.slice(0, 1)],
    ["those of a block that was replaced", [logOf(0, { blockHash: hash(99) })]],
  ])("are found although the query for the range lacks them: %s", async (_, found) => {
    const { chain } = chainOf([], logs.slice(0, 2), [...logs, other]);
    expect(await confirmLogs(chain, blockOf([...logs, other]), { filter, found, isNew })).toEqual(logs);
  });

  it("are a disagreement as long as the node does not find what the header tells of", async () => {
    const { chain } = chainOf([]);
    await expect(confirmLogs(chain, blockOf(logs), { filter, found: [], isNew })).rejects.toThrow(ReorgError);
  });

  it("count when a large block admits more by chance", async () => {
    const { chain, asked } = chainOf([]);
    const claim = { filter, found: [], isNew: false };
    expect(await confirmLogs(chain, blockOf(logs, 200), claim)).toEqual([]);
    expect(asked).toEqual(["own"]);
  });

  it("are asked for until two answers are alike where the header says nothing", async () => {
    const { chain } = chainOf([], logs.slice(0, 2), logs, logs);
    const { logsBloom: _, ...block } = blockOf(logs);
    expect(await confirmLogs(chain, block, { filter, found: logs.slice(0, 1), isNew })).toEqual(logs);
    // Some chains leave the bloom filter empty.
    const empty = { ...block, logsBloom: `0x${"0".repeat(512)}` };
    expect(await confirmLogs(chainOf(logs).chain, empty, { filter, found: logs, isNew })).toEqual(logs);
  });
});
