import { describe, expect, it } from "vitest";
import {
  type Block,
  type BlockPointer,
  type Chain,
  ChainError,
  type Log,
  type Receipt,
  ReorgError,
} from "../../../../src/runtime/chain/chain.js";
import { Fields } from "../../../../src/runtime/chain/fields.js";
import { Bloom } from "../../../../src/runtime/chain/proof/bloom.js";
import { encodeReceipt } from "../../../../src/runtime/chain/proof/receipts-root.js";
import { trieRoot } from "../../../../src/runtime/chain/proof/trie-root.js";
import { decodeBlock, decodeLog } from "../../../../src/runtime/chain/rpc/decode-block.js";
import { confirmLogs } from "../../../../src/runtime/indexer/logs/confirm-logs.js";
import { Verification } from "../../../../src/runtime/indexer/logs/verification.js";
import { address, hash, rawBlock, rawLog, rawTransaction } from "../../../support/chain/raw-chain.js";

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

/** The answers of a chain double (each once, the last one repeatedly), and whether it has receipts. */
interface Answers {
  /** By block hash. */
  readonly named: readonly (readonly Log[])[];
  /** By range; the answers by hash when absent. */
  readonly ranged?: readonly (readonly Log[])[];
  /** Logs of the first transaction's receipt; `undefined` when the node lacks the method for all receipts. */
  readonly receipts?: readonly ((readonly Log[])[] | undefined)[];
  /** Logs of the receipt of a single transaction. */
  readonly single?: (transaction: string) => readonly Log[];
}

function chainOf({ named, ranged = named, receipts = [undefined], single }: Answers): {
  chain: Chain;
  asked: string[];
} {
  const asked: string[] = [];
  const next = <T>(list: T[]): T | undefined => (list.length > 1 ? list.shift() : list[0]);
  const left = { named: [...named], ranged: [...ranged], receipts: [...receipts] };
  const logsOf: Chain["logsOf"] = async (_, wanted) => {
    asked.push(wanted ? "own" : "all");
    return next(left.named) ?? [];
  };
  const logs: Chain["logs"] = async () => {
    asked.push("range");
    return next(left.ranged) ?? [];
  };
  const receiptsOf = async (block: BlockPointer): Promise<readonly Receipt[] | undefined> => {
    asked.push("receipts");
    return next(left.receipts)?.map((own, index) => receiptOf(block, index, own));
  };
  const receipt: Chain["receipt"] = async (hash) => {
    asked.push("receipt");
    if (!single) throw new ChainError("the method eth_getTransactionReceipt does not exist");
    return receiptOf(blockOf([]), Number.parseInt(hash.slice(-1), 16), single(hash));
  };
  return { asked, chain: { logsOf, logs, receipt, receipts: receiptsOf } as unknown as Chain };
}

function receiptOf(block: BlockPointer, index: number, own: readonly Log[]): Receipt {
  return {
    type: 2,
    transactionHash: rawTransaction(index).hash as string,
    transactionIndex: index,
    block: { number: block.number, hash: block.hash },
    cumulativeGasUsed: 21_000n * BigInt(index + 1),
    gasUsed: 21_000n,
    contractAddress: null,
    logs: own,
    status: 1n,
    root: null,
    logsBloom: Bloom.of(own).hex,
  };
}

/** A block of one transaction whose header contains the root of these receipts. */
function provableOf(all: readonly Log[]): Block {
  const block = blockOf(all);
  return { ...block, receiptsRoot: trieRoot([encodeReceipt(receiptOf(block, 0, all))]) };
}

const isDoubtful = true;
const bloomMode = (): Verification => new Verification();
/** Bloom filters of the chain were found to fit its logs. */
function trusting(verification = bloomMode()): Verification {
  verification.trustBlooms();
  return verification;
}

describe("the logs of a block near the head", () => {
  it("needs no request when the bloom filter excludes the log filter", async () => {
    const { chain, asked } = chainOf({ named: [[]] });
    const claim = { filter, found: [], isDoubtful };
    expect(await confirmLogs(chain, blockOf([other]), claim, trusting())).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("checks the first bloom filter that excludes logs against all logs of its block", async () => {
    const { chain, asked } = chainOf({ named: [], receipts: [[[other]]] });
    const claim = { filter, found: [], isDoubtful };
    const verification = bloomMode();
    for (let time = 0; time < 3; time++)
      expect(await confirmLogs(chain, blockOf([other]), claim, verification)).toEqual([]);
    expect(asked).toEqual(["receipts"]);
  });

  it.each([
    ["is empty", []],
    ["has bits of other logs", [other]],
  ])("does not believe a bloom filter that excludes logs and %s if the block has them", async (_, all) => {
    const block = { ...provableOf(logs), logsBloom: Bloom.of(all).hex };
    const { chain } = chainOf({ named: [[]], receipts: [[logs]] });
    const claim = { filter, found: [], isDoubtful: false };
    expect(await confirmLogs(chain, block, claim, bloomMode())).toEqual(logs);
    const { chain: withoutReceipts } = chainOf({ named: [[], logs] });
    expect(await confirmLogs(withoutReceipts, block, claim, bloomMode())).toEqual(logs);
  });

  it("checks logs against the receipts, together with all other logs of the block", async () => {
    const { chain, asked } = chainOf({ named: [], receipts: [[[...logs, other]]] });
    const claim = { filter, found: logs, isDoubtful };
    expect(await confirmLogs(chain, blockOf([...logs, other]), claim, bloomMode())).toEqual(logs);
    expect(asked).toEqual(["receipts"]);
  });

  it("finds a log that two answers lack", async () => {
    const { chain } = chainOf({ named: [logs.slice(1), logs] });
    const claim = { filter, found: logs.slice(1), isDoubtful };
    expect(await confirmLogs(chain, blockOf(logs), claim, bloomMode())).toEqual(logs);
  });

  describe("when the missing log is the last and repeats address and topics", () => {
    const twins = [0, 1, 2].map((index) => logOf(index));
    const found = twins.slice(0, 2);
    const claim = { filter, found, isDoubtful };

    it("finds a missing last log by the receipts of the block", async () => {
      const { chain } = chainOf({ named: [found], receipts: [[found], [twins]] });
      const verification = bloomMode();
      // The first receipts lack it as well, so they do not match the header.
      expect(await confirmLogs(chain, provableOf(twins), { ...claim, found: twins }, verification)).toEqual(
        twins,
      );
      expect(await confirmLogs(chain, provableOf(twins), claim, verification)).toEqual(twins);
      expect(verification.leftOut).toBe(1);
    });

    it("finds a missing last log by single receipts", async () => {
      const { chain, asked } = chainOf({ named: [found], single: () => twins });
      expect(await confirmLogs(chain, blockOf(twins), claim, bloomMode())).toEqual(twins);
      expect(asked).toEqual(["receipts", "all", "receipt"]);
    });

    it.each([
      ["missing", undefined],
      ["of another block", { ...receiptOf(blockOf([]), 0, twins), block: { ...blockOf([]), hash: hash(9) } }],
    ])("does not give up on a missing last log when its receipt is %s", async (_, receipt) => {
      const { chain } = chainOf({ named: [found] });
      const astray: Chain = { ...chain, receipt: async () => receipt };
      await expect(confirmLogs(astray, blockOf(twins), claim, bloomMode())).rejects.toThrow(ReorgError);
    });

    it("finds a missing last log by two different queries without receipts, and reports that once", async () => {
      const { chain } = chainOf({ named: [found, twins], ranged: [twins] });
      const told: string[] = [];
      const verification = new Verification("bloom", { onUnproved: (why) => told.push(why) });
      expect(await confirmLogs(chain, blockOf(twins), claim, verification)).toEqual(twins);
      expect(await confirmLogs(chain, blockOf(twins), claim, verification)).toEqual(twins);
      expect(told).toEqual([expect.stringContaining("the node returns no receipts")]);
    });
  });

  it("finds a missing log that repeats all topics of another log", async () => {
    const twins = [0, 1, 2].map((index) => logOf(index));
    const { chain } = chainOf({ named: [twins.slice(1), twins] });
    const claim = { filter, found: twins.slice(1), isDoubtful };
    expect(await confirmLogs(chain, blockOf(twins), claim, bloomMode())).toEqual(twins);
  });

  it("accepts logs that the chain numbers in its own way", async () => {
    const odd = [1, 3].map((index) => logOf(index));
    const { chain } = chainOf({ named: [odd], receipts: [[odd]] });
    const claim = { filter, found: odd, isDoubtful };
    expect(await confirmLogs(chain, blockOf(odd), claim, bloomMode())).toEqual(odd);
    expect(await confirmLogs(chainOf({ named: [odd] }).chain, blockOf(odd), claim, bloomMode())).toEqual(odd);
  });

  it.each([
    ["all", []],
    ["some", logs.slice(0, 1)],
    ["those of a block that was replaced", [logOf(0, { blockHash: hash(99) })]],
  ])("finds logs that the query for the range lacks: %s", async (_, found) => {
    const { chain } = chainOf({ named: [[], logs.slice(0, 2), [...logs, other]] });
    const claim = { filter, found, isDoubtful };
    expect(await confirmLogs(chain, blockOf([...logs, other]), claim, bloomMode())).toEqual(logs);
  });

  it("throws a ReorgError while logs that the header announces are missing", async () => {
    const { chain } = chainOf({ named: [[]], receipts: [[[]]] });
    const claim = { filter, found: [], isDoubtful };
    await expect(confirmLogs(chain, blockOf(logs), claim, bloomMode())).rejects.toThrow(ReorgError);
  });

  it("accepts the logs of a large block with false positives", async () => {
    const { chain, asked } = chainOf({ named: [[]] });
    const claim = { filter, found: [], isDoubtful: false };
    expect(await confirmLogs(chain, blockOf(logs, 200), claim, bloomMode())).toEqual([]);
    expect(asked).toEqual(["own"]);
  });

  it("repeats two different queries until their answers agree three times when the header is useless", async () => {
    const { chain, asked } = chainOf({ named: [[], logs.slice(0, 2), logs], ranged: [logs] });
    const { logsBloom: _, ...block } = blockOf(logs);
    const claim = { filter, found: logs.slice(0, 1), isDoubtful };
    expect(await confirmLogs(chain, block, claim, bloomMode())).toEqual(logs);
    const agreeing = ["own", "range"];
    expect(asked).toEqual(["receipts", "receipt", ...Array(5).fill(agreeing).flat()]);
    // Some chains leave the bloom filter empty.
    const empty = { ...block, logsBloom: `0x${"0".repeat(512)}` };
    const whole = { ...claim, found: logs };
    expect(await confirmLogs(chainOf({ named: [logs] }).chain, empty, whole, bloomMode())).toEqual(logs);
  });

  it("never confirms logs by repeating the same query", async () => {
    const { chain } = chainOf({ named: [logs.slice(0, 2)], ranged: [logs] });
    const { logsBloom: _, ...block } = blockOf(logs);
    const claim = { filter, found: logs.slice(0, 2), isDoubtful };
    await expect(confirmLogs(chain, block, claim, bloomMode())).rejects.toThrow(ReorgError);
  });
});

describe("logs without verification", () => {
  it("needs no request without verification, and checks that the logs are of the block", async () => {
    const { chain, asked } = chainOf({ named: [logs] });
    const off = new Verification("off");
    const claim = { filter, found: logs.slice(0, 1), isDoubtful };
    expect(await confirmLogs(chain, blockOf(logs), claim, off)).toEqual(logs.slice(0, 1));
    expect(asked).toEqual([]);
    const replaced = { ...claim, found: [logOf(0, { blockHash: hash(99) })] };
    await expect(confirmLogs(chain, blockOf(logs), replaced, off)).rejects.toThrow(ReorgError);
  });
});

describe("logs with verification by the receipts root", () => {
  const claim = { filter, found: logs.slice(0, 1), isDoubtful: false };
  const proving = (told: string[] = []): Verification =>
    new Verification("receipts", { onUnproved: (why) => told.push(why) });

  it("takes logs from the receipts, and counts logs that the node left out once", async () => {
    const { chain, asked } = chainOf({ named: [], receipts: [[logs.slice(0, 1)], [logs]] });
    const verification = proving();
    expect(await confirmLogs(chain, provableOf(logs), claim, verification)).toEqual(logs);
    expect(asked).toEqual(["receipts", "receipts"]);
    expect(await confirmLogs(chain, provableOf(logs), claim, verification)).toEqual(logs);
    expect(verification.leftOut).toBe(2);
  });

  it("throws a ReorgError when the receipts do not match the receipts root", async () => {
    const { chain } = chainOf({ named: [logs], receipts: [[logs.slice(0, 1)]] });
    await expect(confirmLogs(chain, provableOf(logs), claim, proving())).rejects.toThrow(
      "the receipts of block 5 do not match the receipts root in its header",
    );
  });

  it("takes logs from single receipts when the node does not return all at once", async () => {
    const { chain, asked } = chainOf({ named: [], single: () => logs });
    expect(await confirmLogs(chain, provableOf(logs), claim, proving())).toEqual(logs);
    expect(asked).toEqual(["receipts", "receipt"]);
  });

  it("takes single receipts when the list of all is empty, and says what is missing when there are none either", async () => {
    const emptied = chainOf({ named: [logs], receipts: [[]], single: () => logs });
    expect(await confirmLogs(emptied.chain, provableOf(logs), claim, proving())).toEqual(logs);
    const lacking: Chain = { ...emptied.chain, receipt: async () => undefined };
    await expect(confirmLogs(lacking, provableOf(logs), claim, proving())).rejects.toThrow(
      "the node lacks receipts: it returned 0 receipts of block 5, which has 1 transaction, to eth_getBlockReceipts and eth_getTransactionReceipt. Use a node that has them. If every node answers like this, use --verify bloom",
    );
  });

  it("keeps a log of no transaction, which no receipt has, unless the chain is Ethereum", async () => {
    const outside = logOf(3, { transactionHash: hash(0), topics: [hash(1)] });
    const all = [...logs, outside];
    const { receiptsRoot } = provableOf(logs);
    const whole = { ...claim, found: all };
    const told: string[] = [];
    const other = new Verification("receipts", { onUnproved: (why) => told.push(why) }, undefined, "324");
    const { chain } = chainOf({ named: [all], receipts: [[logs]] });
    expect(await confirmLogs(chain, { ...blockOf(all), receiptsRoot }, whole, other)).toEqual(all);
    expect(told).toEqual([
      "logs that belong to no transaction are missing from the receipts, so logs are checked against bloom filters instead",
    ]);
    const ethereum = new Verification("receipts", {}, undefined, "1");
    expect(await confirmLogs(chain, { ...blockOf(all), receiptsRoot }, whole, ethereum)).toEqual(logs);
  });

  it("asks again when one node of a pool refuses receipts", async () => {
    const told: string[] = [];
    const { chain } = chainOf({ named: [[]], single: () => logs });
    let refusals = 2;
    const refusing: Chain = {
      ...chain,
      receipt: async (hash) => {
        if (refusals-- > 0) throw new ChainError("busy");
        return chain.receipt(hash);
      },
    };
    expect(await confirmLogs(refusing, provableOf(logs), claim, proving(told))).toEqual(logs);
    expect(told).toEqual([]);
  });

  it("falls back to the bloom filter when the root cannot be computed, and reports that once", async () => {
    const told: string[] = [];
    const verification = proving(told);
    const whole = { ...claim, found: logs };
    for (const block of [blockOf(logs), blockOf(logs)]) {
      const rootless = { ...block, receiptsRoot: `0x${"0".repeat(64)}` };
      const { chain } = chainOf({ named: [logs], single: () => logs });
      expect(await confirmLogs(chain, rootless, whole, verification)).toEqual(logs);
    }
    const { chain } = chainOf({ named: [logs], ranged: [logs] });
    expect(await confirmLogs(chain, provableOf(logs), whole, verification)).toEqual(logs);
    expect(told).toEqual([
      "block headers have no receipts root, so logs are checked against bloom filters instead",
      "the node returns no receipts, so logs are checked against bloom filters instead",
      expect.stringContaining("are queried in two ways"),
    ]);
  });

  it("needs no receipts when the bloom filter excludes the logs, unless it may be empty on purpose", async () => {
    const { chain, asked } = chainOf({ named: [], receipts: [[[]]] });
    const empty = { ...claim, found: [] };
    expect(await confirmLogs(chain, provableOf([other]), empty, trusting(proving()))).toEqual([]);
    expect(asked).toEqual([]);
    expect(await confirmLogs(chain, provableOf([]), empty, trusting(proving()))).toEqual([]);
    expect(asked).toEqual(["receipts"]);
  });
});

it("a filter that admits a log by chance does not let others of its chain exclude logs", async () => {
  const randomly = (block: Block, admitted: readonly Log[]): Block => {
    const own = Buffer.from(Bloom.of(admitted).hex.slice(2), "hex");
    const bytes = Buffer.from(own.map((byte, index) => byte | (index % 2 ? 0x5a : 0xa5)));
    return { ...block, logsBloom: `0x${bytes.toString("hex")}` };
  };
  const [log = logOf(0)] = logs;
  const verification = new Verification("bloom");
  const { chain } = chainOf({ named: [[log]], receipts: [[[log]]] });
  const first = randomly(blockOf([log], 60), [log]);
  const claim = { filter, isDoubtful: false };
  await confirmLogs(chain, first, { ...claim, found: [log] }, verification);
  const second = randomly(provableOf([log]), []);
  expect(Bloom.parse(second.logsBloom)?.admits(filter)).toBe(false);
  expect(await confirmLogs(chain, second, { ...claim, found: [] }, verification)).toEqual([log]);
});

it("lists that agree are not trusted after a list by range had a log that they lack", async () => {
  const block = { ...blockOf([]), logsBloom: `0x${"0".repeat(512)}` };
  const [log = logOf(0)] = logs;
  const { chain } = chainOf({ named: [[]], ranged: [[log], [], [], []] });
  const claim = { filter, found: [], isDoubtful: false };
  const foreign = { ...block, unprovedHeader: "foreign" } as const;
  await expect(confirmLogs(chain, foreign, claim, new Verification("bloom"))).rejects.toThrow(ReorgError);
});
