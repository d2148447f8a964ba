import { describe, expect, it } from "vitest";
import { ChainArchive } from "../../../../src/datasets/archive/chain-archive.js";
import type { LogFilter } from "../../../../src/runtime/chain/chain.js";
import {
  address,
  hashOf,
  madeLog,
  otherAddress,
  type Put,
  put,
  topic,
} from "../../../support/archive/made-chain.js";
import { MemoryArchiveFiles } from "../../../support/archive/memory-files.js";

const otherTopic = hashOf("Approval");
const of = (addresses: readonly string[], topics?: readonly string[]): LogFilter => [{ addresses, topics }];

/** A log with each of two topics, one without any, and one of another contract. */
const logs = [
  madeLog(3),
  madeLog(6, { topics: [otherTopic] }),
  madeLog(9, { topics: [] }),
  madeLog(9, { logIndex: 1, address: otherAddress }),
];
const own = logs.slice(0, 3);

async function archiveOf(...all: readonly Put[]): Promise<ChainArchive> {
  const files = new MemoryArchiveFiles();
  await put(files, ...all);
  return ChainArchive.open({ files, folder: "1", chainId: "1" });
}

const claimed = (filter: LogFilter, kept = own, [from, to] = [1, 9]): Put => ({
  logs: kept,
  claim: { from, to, filter },
});

describe("a claim for any topic of a contract", () => {
  it.each<[string, LogFilter, number]>([
    ["any topic", of([address]), 3],
    ["one topic", of([address], [otherTopic]), 1],
    ["several topics", of([address], [topic, otherTopic]), 2],
    ["a topic without logs", of([address], [hashOf("Unheard")]), 0],
  ])("answers a question about %s", async (_, filter, count) => {
    const archive = await archiveOf(claimed(of([address])));
    expect((await archive.logs({ from: 1, to: 9 }, filter, "bloom"))?.length).toBe(count);
    expect(await archive.logs({ from: 1, to: 10 }, filter, "bloom")).toBeUndefined();
    expect(await archive.logs({ from: 1, to: 9 }, filter, "receipts")).toBeUndefined();
  });

  it("keeps logs unchanged, including logs without topics", async () => {
    const archive = await archiveOf(claimed(of([address])));
    expect(await archive.logs({ from: 1, to: 9 }, of([address]), "bloom")).toEqual(own);
  });

  it.each<[string, LogFilter]>([
    ["another contract", of([otherAddress])],
    ["a topic of another contract", of([otherAddress], [topic])],
    ["a topic of any contract", of([], [topic])],
    ["all logs", of([])],
  ])("does not answer a claim about %s", async (_, filter) => {
    const archive = await archiveOf(claimed(of([address])));
    expect(await archive.logs({ from: 1, to: 9 }, filter, "bloom")).toBeUndefined();
  });

  it("continues claims for one topic, and those for any contract", async () => {
    const archive = await archiveOf(
      claimed(of([address]), own.slice(0, 1), [1, 3]),
      claimed(of([address], [otherTopic]), own.slice(1, 2), [4, 6]),
      claimed(of([]), logs.slice(2), [7, 9]),
    );
    const found = (filter: LogFilter, from = 1) => archive.logs({ from, to: 9 }, filter, "bloom");
    expect(await found(of([address], [otherTopic]))).toEqual(own.slice(1, 2));
    expect(await found(of([address]))).toBeUndefined();
    expect(await found(of([address]), 7)).toEqual(own.slice(2));
    expect(await found(of([]), 7)).toEqual(logs.slice(2));
  });
});

describe("claims for some topics", () => {
  it.each<[string, LogFilter]>([
    ["of one contract", of([address], [topic, otherTopic])],
    ["of any contract", of([], [topic, otherTopic])],
    ["of none", of([address], [])],
  ])("never answer a question about any topic: %s", async (_, filter) => {
    const archive = await archiveOf(claimed(filter));
    expect(await archive.logs({ from: 1, to: 9 }, of([address]), "bloom")).toBeUndefined();
  });
});
