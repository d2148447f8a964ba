import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { QueryEndpoint } from "../../src/compare/endpoint.js";
import { EndpointFailure } from "../../src/compare/endpoint-failure.js";
import { isStatus, statusAddresses } from "../../src/compare/find-status.js";
import { compareProofs } from "../../src/compare/proofs.js";

interface Side {
  /** From this block on, it has other proofs. */
  readonly differsFrom?: number;
  readonly head?: number;
  readonly earliest?: number;
  /** What it tells of a block's changes; it refuses to tell them by default. */
  readonly changes?: (block: number) => unknown;
}

/** The status API of a side, and the blocks that it was asked to prove. */
function status(side: Side): { readonly endpoint: QueryEndpoint; readonly proved: number[] } {
  const { differsFrom = Number.POSITIVE_INFINITY, head = 1_000_000, earliest = 0, changes } = side;
  const proved: number[] = [];
  const failure = (reason: string): EndpointFailure => new EndpointFailure(reason);
  const endpoint: QueryEndpoint = {
    name: "left",
    shown: "left",
    identity: "left",
    clean: (text) => text.replaceAll("secret", "…"),
    failure,
    async ask(query, { block } = {}) {
      const number = Number(block);
      if (query.includes("indexingStatuses"))
        return { indexingStatuses: [{ chains: [{ earliestBlock: { number: String(earliest) } }] }] };
      if (query.includes("entityChangesInBlock")) {
        if (!changes) throw failure("it tells no changes");
        return { entityChangesInBlock: changes(number) };
      }
      proved.push(number);
      if (number > head) return { proofOfIndexing: null };
      const text = `${number}${number >= differsFrom ? "1" : "0"}`;
      return { proofOfIndexing: `0x${text.padStart(64, "0")}` };
    },
  };
  return { endpoint, proved };
}

function compared(left: Side, right: Side, block = 1_000_000, show = 5) {
  const sides = [status(left), status(right)] as const;
  const result = compareProofs({
    sides: [sides[0].endpoint, sides[1].endpoint],
    deployment: "QmBoth",
    block,
    hash: undefined,
    show,
    onBlock: () => undefined,
  });
  return { result, proved: sides[0].proved };
}

describe("proofs of indexing", () => {
  test("finds the first block that differs, with a number of questions that grows like a logarithm", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), async (differsFrom) => {
        const { result, proved } = compared({}, { differsFrom });
        expect((await result)?.first).toMatchObject({ block: differsFrom, isEarliest: false });
        expect(proved.length).toBeLessThan(24);
      }),
    );
  });

  test("asks once if both sides are equal", async () => {
    const { result, proved } = compared({}, {});
    expect(await result).toMatchObject({ isEqual: true, block: 1_000_000 });
    expect(proved).toEqual([1_000_000]);
  });

  test("says that the sides differ since before the earliest block that both keep", async () => {
    const { result } = compared({ earliest: 600 }, { differsFrom: 30, earliest: 500 });
    expect((await result)?.first).toMatchObject({ block: 600, isEarliest: true });
  });

  test("compares no proofs if a side has no proof of the block", async () => {
    expect(await compared({ head: 5 }, {}).result).toBeUndefined();
  });

  test("lists the entities that the block changed differently", async () => {
    const of = (entities: readonly object[], gone: readonly string[] = []) => ({
      changes: (block: number) => ({
        updates: block === 7 ? [{ type: "Swap", entities }] : [],
        deletions: [{ type: "Pool", entities: gone }],
      }),
    });
    const left = of([{ id: "a", amount: "1", tags: ["x"] }, { id: "b" }, { id: "secret" }], ["p"]);
    const right = of([{ id: "a", amount: "2", tags: ["x"] }, { id: "b" }], []);
    const { result } = compared(left, { ...right, differsFrom: 7 });
    expect((await result)?.first).toEqual({
      block: 7,
      isEarliest: false,
      count: 3,
      entities: [
        { type: "Pool", id: "p", only: "left", fields: [] },
        { type: "Swap", id: "a", only: null, fields: [{ name: "amount", left: '"1"', right: '"2"' }] },
        { type: "Swap", id: "…", only: "left", fields: [] },
      ],
    });
    const few = await compared(left, { ...right, differsFrom: 7 }, 1_000_000, 1).result;
    expect([few?.first?.count, few?.first?.entities?.length]).toEqual([3, 1]);
  });

  test("names the block even if a side does not tell its changes", async () => {
    const { result } = compared({}, { differsFrom: 9, changes: () => ({ updates: [], deletions: [] }) });
    expect((await result)?.first).toEqual({ block: 9, isEarliest: false, count: 0, entities: undefined });
  });

  test("refuses an answer of another form", async () => {
    const { endpoint } = status({});
    const sides = [endpoint, { ...endpoint, ask: async () => ({ proofOfIndexing: "0x12" }) }] as const;
    const options = { deployment: "Qm", block: 1, hash: undefined, show: 5, onBlock: () => undefined };
    await expect(compareProofs({ sides, ...options })).rejects.toThrow("its proof of indexing is not one");
  });

  test("takes an address for a status API if it answers as one does", async () => {
    const { endpoint } = status({});
    const answering = (answer: object): QueryEndpoint => ({ ...endpoint, ask: async () => ({ ...answer }) });
    expect(await isStatus(answering({ version: { version: "0.44.0" } }))).toBe(true);
    expect(await isStatus(answering({ version: null }))).toBe(false);
    const failing = { ...endpoint, ask: async () => Promise.reject(new EndpointFailure("404")) };
    expect(await isStatus(failing)).toBe(false);
  });

  test.each([
    ["http://localhost:8000/subgraphs/name/a/b", "http://localhost:8030/graphql"],
    ["http://127.0.0.1:8030/subgraphs/id/Qm1", "http://127.0.0.1:8030/index-node/graphql"],
    ["https://h/api/public/p/subgraphs/a/1/gn", "https://h/index-node/graphql"],
    ["https://h/api/private/p/subgraphs/a/1/gn", "https://h/api/private/p/index-node/graphql"],
    ["https://h/gl/api/public/p/subgraphs/a/1/gn", "https://h/gl/index-node/graphql"],
    ["https://h/gl/api/private/p/subgraphs/a/1/gn", "https://h/gl/api/private/p/index-node/graphql"],
    ["https://gateway.example/api/key/subgraphs/id/x", undefined],
    ["no address", undefined],
  ])("looks for the status of %s at %s", (url, first) => {
    expect(statusAddresses(url)[0]).toBe(first);
  });
});
