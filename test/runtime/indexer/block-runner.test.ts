import { id } from "ethers";
import { expect, test } from "vitest";
import { type Block, type Chain, ChainError, type Log } from "../../../src/runtime/chain/chain.js";
import { DeterministicError } from "../../../src/runtime/errors.js";
import { ActiveSources } from "../../../src/runtime/indexer/active-sources.js";
import { BlockRunner } from "../../../src/runtime/indexer/block-runner.js";
import { FileFinder } from "../../../src/runtime/indexer/files/file-finder.js";
import { ReadAhead } from "../../../src/runtime/indexer/read-ahead/read-ahead.js";
import { BlockCalls } from "../../../src/runtime/indexer/triggers/block-calls.js";
import { decimalText, normalized } from "../../../src/runtime/numbers/big-decimal.js";
import type { EntityKey } from "../../../src/runtime/store/check-writes.js";
import { EntityError, UnknownFieldError } from "../../../src/runtime/store/entity-error.js";
import { MemoryStore } from "../../../src/runtime/store/memory-store.js";
import type { Store } from "../../../src/runtime/store/store.js";
import type { ContractCall } from "../../../src/runtime/values.js";
import type { Mapping, MappingWorld } from "../../../src/runtime/wasm/mapping.js";
import { Abi } from "../../../src/subgraph/abi.js";
import type { Feature } from "../../../src/subgraph/runnable/built-subgraph.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { slow } from "../store/slow-store.js";
import { entity, text } from "../store/values.js";
import { block, log, transaction } from "../wasm/probe.js";

const topic0 = id("Happened()");
const abi = new Abi(
  "Abi",
  JSON.stringify([
    { type: "event", name: "Happened", inputs: [] },
    ...["coin", "next"].map((name) => ({
      type: "function",
      name,
      stateMutability: "view",
      inputs: [{ name: "n", type: "uint256" }],
      outputs: [{ name: "", type: "uint256" }],
    })),
  ]),
);
const entities = readEntitySchema(
  "type Price @entity { id: ID! value: BigDecimal! } type Mark @entity(immutable: true) { id: ID! text: String }",
);
const store = new MemoryStore(entities);

/** A runner for one data source, whose handler is a function in this test. */
function runnerOf(
  handler: (world: MappingWorld) => void,
  kept: Store = store,
  chain = {} as Chain,
  bearsFailures = true,
  readAhead?: ReadAhead,
): BlockRunner {
  const mapping: Mapping = {
    exports: new Set(["handle"]),
    run: (_name, _trigger, world) => handler(world),
  };
  const eventHandler = {
    event: "Happened()",
    topic0,
    topicFilters: [],
    handler: "handle",
    receipt: false,
    calls: [],
  };
  const source = {
    name: "Source",
    abi: "Abi",
    abis: new Map([["Abi", abi]]),
    module: "m.wasm",
    eventHandlers: [eventHandler],
    callHandlers: [],
    blockHandlers: [],
    address: log.address,
    startBlock: 0,
    context: new Map(),
  };
  const built = {
    network: "mainnet",
    specVersion: "1.3.0",
    apiVersion: "0.0.9",
    schema: "",
    entities,
    templates: [],
    features: new Set<Feature>(),
  };
  const modules = new Map([["m.wasm", new Uint8Array()]]);
  const sources = new ActiveSources({ ...built, modules, dataSources: [source] }, () => mapping);
  const triggersFor = async () => ({ logs: [], calls: [] });
  return new BlockRunner({
    chain,
    store: kept,
    schema: entities,
    network: "mainnet",
    sources,
    triggersFor,
    callsOf: (block) => new BlockCalls(chain, block),
    finder: new FileFinder({
      files: undefined,
      patience: 0,
      pause: async () => undefined,
      chance: () => 0,
      now: () => 0,
    }),
    unknownFields: "refuse",
    readsAccounts: true,
    bearsFailures,
    readAhead,
  });
}

/** A block in which the event happens several times. */
function happening(number: number, times: number): readonly [Block, { logs: readonly Log[]; calls: [] }] {
  const at = { ...block, number, transactions: new Map([[transaction.hash, transaction]]) };
  const logs = Array.from({ length: times }, (_, logIndex) => ({
    ...log,
    block: at,
    topics: [topic0],
    data: "0x",
    logIndex,
  }));
  return [at, { logs, calls: [] }];
}

test("a block may log more lines than a call can take arguments", async () => {
  const runner = runnerOf((world) => {
    for (let line = 0; line < 300_000; line++) world.log("info", "x");
  });
  const { failure, lines } = await runner.run(...happening(1, 2));
  expect(failure).toBeUndefined();
  expect(lines.length).toBe(600_000);
});

test.each<[string, Error, boolean]>([
  ["a failure of the mapping itself", new DeterministicError("no"), true],
  ["a field that the schema lacks", new UnknownFieldError("no"), true],
  ["a write that an entity does not allow", new EntityError("no"), false],
  ["a failure that may differ elsewhere", new RangeError("no"), false],
])("the runner tells whether %s is tolerated by a subgraph with nonFatalErrors", async (_, error, isBorne) => {
  let times = 0;
  const runner = runnerOf((world) => {
    times += 1;
    world.set(
      "Price",
      String(times),
      entity({ id: text(String(times)), value: { kind: "BigDecimal", value: normalized(1n, 0) } }),
    );
    if (times === 2) throw error;
  });
  const outcome = await runner.run(...happening(7, 3));
  expect(outcome.handlers).toBe(isBorne ? 3 : 2);
  const stored = new Map([["Price", isBorne ? 2 : 1]]);
  expect(outcome.runs).toEqual([{ source: "Source", handler: "handle", count: outcome.handlers, stored }]);
  expect(outcome.writes.changes.map(({ id: key }) => key)).toEqual(isBorne ? ["1", "3"] : []);
  const failed = { handler: "handle", source: "Source", block: 7, blockHash: block.hash, logIndex: 1, error };
  expect(outcome.errors).toMatchObject(isBorne ? [failed] : []);
  expect(outcome.failure?.error).toBe(isBorne ? undefined : error);
});

test("a changed immutable entity fails the handler that changed it, even with nonFatalErrors", async () => {
  const kept = new MemoryStore(entities);
  const first = entity({ id: text("m"), text: text("first") });
  const changes = [{ kind: "set", type: "Mark", id: "m", entity: first }] as const;
  await kept.commit({ ...block, number: 1 }, { changes, dataSources: [] });
  let times = 0;
  const runner = runnerOf((world) => {
    times += 1;
    if (times === 2) world.set("Mark", "m", entity({ text: text("other") }));
  }, kept);
  const { failure, writes, errors } = await runner.run(...happening(2, 3));
  expect(failure).toMatchObject({ handler: "handle", logIndex: 1, error: { name: "ImmutableError" } });
  expect([...errors, ...writes.changes]).toEqual([]);
});

test("the other handlers of a block still run after a deterministic failure, which is reported", async () => {
  let times = 0;
  const runner = runnerOf(
    () => {
      times += 1;
      if (times > 1) throw new DeterministicError(`failure ${times}`);
    },
    store,
    undefined,
    false,
  );
  const { failure, errors, writes } = await runner.run(...happening(7, 4));
  expect(times).toBe(4);
  expect(failure).toMatchObject({ logIndex: 1, isDeterministic: true, error: { message: "failure 2" } });
  expect([...errors, ...writes.changes]).toEqual([]);
});

test("a later failure of the block decides if it is not deterministic", async () => {
  let times = 0;
  const runner = runnerOf(
    () => {
      times += 1;
      if (times === 1) throw new DeterministicError("aborted");
      if (times === 3) throw new EntityError("no value");
    },
    store,
    undefined,
    false,
  );
  const { failure } = await runner.run(...happening(7, 4));
  expect(times).toBe(3);
  expect(failure).toMatchObject({ logIndex: 2, isDeterministic: false, error: { message: "no value" } });
});

test("values that the store cannot keep do not matter in a block with a deterministic failure", async () => {
  let times = 0;
  const runner = runnerOf(
    (world) => {
      times += 1;
      if (times === 1) world.set("Price", "p", entity({ value: { kind: "Null" } }));
      else throw new DeterministicError("aborted");
    },
    store,
    undefined,
    false,
  );
  const { failure } = await runner.run(...happening(7, 2));
  expect(failure).toMatchObject({ logIndex: 1, isDeterministic: true, error: { message: "aborted" } });
});

test("a decimal is as set within its block, and as a database returns it afterwards", async () => {
  const sixes = (count: number): bigint => BigInt("6".repeat(count));
  const set = normalized(-sixes(35), 1);
  const seen: string[] = [];
  const runner = runnerOf((world) => {
    const found = world.get("Price", "1")?.get("value");
    seen.push(found?.kind === "BigDecimal" ? decimalText(found.value) : "none");
    const value = { kind: "BigDecimal", value: set } as const;
    if (!found) world.set("Price", "1", entity({ id: text("1"), value }));
  });
  for (const number of [1, 2]) {
    const [at, triggers] = happening(number, 2);
    const { writes } = await runner.run(at, triggers);
    await store.commit(at, writes);
  }
  const readBack = `-${"6".repeat(34)}00`;
  expect(seen).toEqual(["none", `-${"6".repeat(35)}0`, readBack, readBack]);
});

/** A chain with a contract whose functions answer `n * 7` up to a number, and revert beyond it. */
function countingChain(until: number): { readonly chain: Chain; readonly batches: number[] } {
  const batches: number[] = [];
  const read: Chain["read"] = async (_, reads) => {
    batches.push(reads.length);
    return reads.map(({ data }) => {
      const n = BigInt(`0x${data.slice(-64)}`);
      if (n > until) return { kind: "reverted" };
      return { kind: "returned", data: `0x${(n * 7n).toString(16).padStart(64, "0")}` };
    });
  };
  return { chain: { read } as Chain, batches };
}

function callOf(name: string, n: bigint): ContractCall {
  const args = [{ kind: "uint", value: n }] as const;
  return { contract: "Abi", address: log.address, name, signature: `${name}(uint256):(uint256)`, args };
}

test("a handler may read contracts thousands of times in a loop, in few requests", async () => {
  const { chain, batches } = countingChain(5_000);
  let sum = 0n;
  let runs = 0;
  const runner = runnerOf(
    (world) => {
      runs += 1;
      sum = 0n;
      for (let n = 0n; ; n++) {
        const [answer] = world.call(callOf("coin", n)) ?? [];
        if (answer?.kind !== "uint") break;
        sum += answer.value;
      }
    },
    store,
    chain,
  );
  const outcome = await runner.run(...happening(1, 1));
  expect(outcome.failure).toBeUndefined();
  expect(sum).toBe((7n * 5_000n * 5_001n) / 2n);
  expect(runs).toBeLessThan(50);
  expect(batches.length).toBeLessThan(50);
  // What the loop would have read next is at most as much as it did read.
  expect(outcome.reads).toBeLessThan(2 * 5_001);
});

test("a read that follows from a wrong guess does no harm, even if the node refuses it", async () => {
  const { chain } = countingChain(1_000_000);
  const asked: bigint[] = [1n];
  for (let times = 1n; times < 7n; times++) asked.push((asked.at(-1) ?? 0n) * 7n + times);
  let refusals = 0;
  const picky: Chain = {
    ...chain,
    read: async (at, reads) => {
      if (reads.every(({ data }) => asked.includes(BigInt(`0x${data.slice(-64)}`))))
        return chain.read(at, reads);
      refusals += 1;
      throw new ChainError("the node refuses this read");
    },
  };
  let next = 0n;
  const runner = runnerOf(
    (world) => {
      next = 1n;
      for (let times = 1n; times < 7n; times++) {
        const [answer] = world.call(callOf("next", next)) ?? [];
        if (answer?.kind === "uint") next = answer.value + times;
      }
    },
    store,
    picky,
  );
  const outcome = await runner.run(...happening(1, 1));
  expect(outcome.failure).toBeUndefined();
  expect(next).toBe(asked.at(-1));
  expect(refusals).toBe(1);
});

test("a handler that waits for the store runs once more, and teaches what later blocks will read", async () => {
  const announced: EntityKey[] = [];
  const readAhead = new ReadAhead((key) => announced.push(key));
  let runs = 0;
  const handler = (world: MappingWorld): void => {
    runs += 1;
    world.get("Price", transaction.hash);
  };
  const runner = runnerOf(handler, slow(new MemoryStore(entities)), undefined, undefined, readAhead);
  for (const number of [1, 2]) {
    const { failure, handlers } = await runner.run(...happening(number, 3));
    expect(failure).toBeUndefined();
    expect(handlers).toBe(3);
  }
  // Only the first handler of a block finds the entity missing.
  expect(runs).toBe(2 * (3 + 1));
  const [next, { logs }] = happening(3, 1);
  readAhead.expect(next, logs);
  expect(announced).toEqual([{ type: "Price", id: transaction.hash }]);
});
