import { describe, expect, test } from "vitest";
import type { CallTrace } from "../../../../src/runtime/chain/chain.js";
import type { ActiveSource } from "../../../../src/runtime/indexer/active-source.js";
import { Contracts } from "../../../../src/runtime/indexer/contracts.js";
import { demandedBlocks } from "../../../../src/runtime/indexer/triggers/block-handlers.js";
import { matchTriggers } from "../../../../src/runtime/indexer/triggers/triggers.js";
import type { BlockHandler, CallHandler } from "../../../../src/subgraph/runnable/built-subgraph.js";

const first = `0x${"1".repeat(40)}`;
const second = `0x${"2".repeat(40)}`;
const call: CallHandler = { function: "f()", selector: "0x00000001", handler: "onCall" };
const once: BlockHandler = { handler: "once", filter: { kind: "once" } };
const all: BlockHandler = { handler: "all", filter: { kind: "all" } };
const called: BlockHandler = { handler: "called", filter: { kind: "call" } };
const every = (blocks: number): BlockHandler => ({
  handler: `every${blocks}`,
  filter: { kind: "polling", every: blocks },
});

interface Listening {
  readonly startBlock?: number;
  readonly endBlock?: number;
  readonly onceBlock?: number;
  readonly callHandlers?: readonly CallHandler[];
}

function source(
  address: string,
  blockHandlers: readonly BlockHandler[],
  { startBlock = 10, endBlock = Number.POSITIVE_INFINITY, onceBlock, callHandlers = [] }: Listening = {},
): ActiveSource {
  const template = { name: address, abi: "", abis: new Map(), module: "", eventHandlers: [] };
  const mapping = { exports: new Set<string>(), run: () => undefined };
  return {
    template: { ...template, callHandlers, blockHandlers },
    code: {
      mapping,
      contracts: new Contracts(new Map()),
      events: new Map(),
      calls: new Map(),
      entities: new Map(),
    },
    address,
    startBlock,
    endBlock,
    onceBlock: onceBlock ?? startBlock,
    context: new Map(),
    order: 0,
  };
}

describe("blocks that block handlers demand", () => {
  const demanded = (one: ActiveSource, from = 0, to = 30) => [...demandedBlocks([one], from, to)];

  test.each<[string, ActiveSource, readonly number[]]>([
    ["no block for events", source(first, []), []],
    ["the first block for a once handler", source(first, [once]), [10]],
    ["every n-th block from the first for a polling handler", source(first, [every(7)]), [10, 17, 24]],
    ["the blocks of several filters", source(first, [once, every(15), every(9)]), [10, 25, 19, 28]],
    ["all blocks that a source listens to", source(first, [all], { endBlock: 12 }), [10, 11, 12]],
    ["all blocks for call handlers", source(first, [], { endBlock: 11, callHandlers: [call] }), [10, 11]],
    ["all blocks for call block handlers", source(first, [called], { endBlock: 11 }), [10, 11]],
    ["no block when the source starts later", source(first, [all, once], { startBlock: 31 }), []],
  ])("demands %s", (_, one, expected) => {
    expect(demanded(one)).toEqual(expected);
  });

  test("counts intervals from the source's start, wherever the range begins", () => {
    expect(demanded(source(first, [every(7)]), 18, 40)).toEqual([24, 31, 38]);
    expect(demanded(source(first, [once]), 11)).toEqual([]);
    expect(demanded(source(first, [once], { onceBlock: 12 }), 11)).toEqual([12]);
  });
});

describe("block handlers for calls", () => {
  const trace = (to: string): CallTrace => ({
    from: first,
    to,
    input: "0x12345678",
    output: "0x",
    transactionHash: "0x",
    transactionIndex: 0,
  });
  const handlersOf = (calls: readonly string[], sources: readonly ActiveSource[], block = 10) =>
    matchTriggers({ logs: [], calls: calls.map(trace) }, block, {
      at: (address) => sources.filter((one) => one.address === address),
      onBlocks: sources,
    }).map((match) => `${match.source.address === first ? 1 : 2} ${match.handler}`);

  test("runs call block handlers once for consecutive calls, before the last handlers", () => {
    const sources = [source(first, [all, called]), source(second, [once, every(2)])];
    expect(handlersOf([first, second, first], sources)).toEqual(["2 once", "1 called", "1 all", "2 every2"]);
  });

  test("runs a call block handler again after a call to a different address, as in graph-node", () => {
    const sources = [source(first, [called]), source(second, [called])];
    expect(handlersOf([first, first, second, first], sources)).toEqual(["1 called", "2 called", "1 called"]);
  });

  test("runs no block handler before a source starts or after it ends", () => {
    const sources = [source(first, [called, all, once], { startBlock: 5, endBlock: 6 })];
    expect(handlersOf([first], sources, 4)).toEqual([]);
    expect(handlersOf([first], sources, 6)).toEqual(["1 called", "1 all"]);
    expect(handlersOf([first], sources, 7)).toEqual([]);
  });
});
