import { describe, expect, it } from "vitest";
import { factsOf, type TypeWriters } from "../../../../src/platform/pages/entities/history-facts.js";
import type { EntityVersion } from "../../../../src/store/tables/entity-history.js";
import type { Writer } from "../../../../src/subgraph/writers.js";
import { tableOf } from "./columns.js";

const contract = `0x${"ab".repeat(20)}`;
const hash = `0x${"cd".repeat(32)}`;
const writer = (handler: string, address?: string): Writer => ({
  source: "Pool",
  isTemplate: false,
  trigger: "Swap()",
  handler,
  ...(address !== undefined && { address }),
});
const version = (begins: number): EntityVersion => ({
  vid: 1n,
  begins,
  values: {
    id: "\\x01",
    block_number: "7",
    timestamp: "1700000000",
    transaction_hash: hash,
    contract_id: contract,
  },
});
const handlers = [writer("handleA", contract), writer("handleB", `0x${"ef".repeat(20)}`)];
const type: TypeWriters = { writers: { all: handlers, isCertain: true } };
const facts = (begins: number, own = type, times = new Map<number, number>(), table = tableOf("Trade")) =>
  factsOf(version(begins), table, times, own);

describe("the origin of a version of an entity", () => {
  it("is in its own fields if they belong to its block", () => {
    expect(facts(7)).toEqual({
      time: 1_700_000_000,
      transaction: hash,
      writer: { kind: "handlers", handlers: [handlers[0]], isCertain: true },
    });
  });

  it("is not taken from fields of an earlier block", () => {
    expect(facts(8)).toEqual({ writer: { kind: "handlers", handlers, isCertain: true } });
    expect(facts(8, type, new Map([[8, 1_700_000_012]])).time).toBe(1_700_000_012);
  });

  it("says little when the build is gone, or has no handler for the block", () => {
    expect(facts(8, { writers: undefined }).writer).toEqual({ kind: "unknown" });
    const late = { writers: { all: [{ ...writer("handleA"), startBlock: 9 }], isCertain: true } };
    expect(facts(8, late).writer).toEqual({ kind: "unknown" });
  });

  it("comes from the counts of handlers if the build does not say which one stores the type", () => {
    const [a, b, c] = ["handleA", "handleB", "handleC"].map((handler) => writer(handler));
    const own = { writers: { all: [a, b, c] as Writer[], isCertain: false } };
    const named = (...all: readonly string[]) => all.map((handler) => ({ source: "Pool", handler }));
    const storers = { after: 5, all: named("handleA", "handleB"), blocks: new Map([[9, named("handleB")]]) };
    const written = (block: number) => {
      const { writer: by } = factsOf(version(block), tableOf("Trade"), new Map(), own, storers);
      return by.kind === "handlers" && [by.handlers.map(({ handler }) => handler), by.isCertain];
    };
    expect(written(9)).toEqual([["handleB"], true]);
    expect(written(8)).toEqual([["handleA", "handleB"], true]);
    // Before that, nothing was counted.
    expect(written(5)).toEqual([["handleA", "handleB", "handleC"], false]);
    const long = { ...writer("handleA"), handler: "h".repeat(201) };
    const others = { writers: { all: [long, c] as Writer[], isCertain: false } };
    expect(factsOf(version(8), tableOf("Trade"), new Map(), others, storers).writer).toEqual({
      kind: "handlers",
      handlers: [long],
      isCertain: true,
    });
  });

  it("says that another deployment wrote the entities that a graft copied", () => {
    const grafted = { ...type, graft: { base: "QmBase", block: 7 } };
    expect(facts(7, grafted).writer).toEqual({ kind: "graft", base: "QmBase" });
    expect(facts(8, grafted).writer.kind).toBe("handlers");
  });

  it("names the store for computed aggregations", () => {
    const table = { ...tableOf("Trade"), interval: "hour" };
    expect(facts(7, type, new Map(), table).writer).toEqual({ kind: "store" });
  });
});
