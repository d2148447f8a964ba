import { readFileSync } from "node:fs";
import { AbiCoder } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import type { Receipt } from "../../../src/runtime/chain/chain.js";
import { DeterministicError, Fault } from "../../../src/runtime/errors.js";
import type { EthereumValue, Trigger } from "../../../src/runtime/values.js";
import { AbortError, TrapError } from "../../../src/runtime/wasm/failures.js";
import type { Mapping } from "../../../src/runtime/wasm/mapping.js";
import type { Entity, StoreValue } from "../../../src/subgraph/schema/entity.js";
import {
  address,
  answer,
  ask,
  block,
  bytes,
  compileProbe,
  eventOf,
  filled,
  int,
  log,
  testWorld,
  text,
  transaction,
  uint,
} from "./probe.js";

let mapping: Mapping;
beforeAll(async () => {
  mapping = await compileProbe();
});

const coder = AbiCoder.defaultAbiCoder();
const blockText = [
  ...[1, 2, 3].map((byte) => filled(byte)),
  filled(4, 20),
  ...[5, 6, 7].map((byte) => filled(byte)),
  "18000000 12345678 30000000 1700000000 0 58750003716598352816469 128 9223372036854775808",
].join(" ");
const transactionText = [
  `${filled(9)} 130 ${filled(10, 20)} ${filled(11, 20)}`,
  `${2n ** 255n} 100000 9000000000 0xa9059cbb 255`,
].join(" ");

function said(handler: string, trigger: Trigger): readonly string[] {
  const world = testWorld();
  mapping.run(handler, trigger, world);
  return world.said;
}

describe("a handler receives", () => {
  test("an event", () => {
    const trigger = eventOf(address(filled(1, 20)), uint(300), text("x"), bytes("0x"), int(-1));
    const encoded = [
      `p0=0:${coder.encode(["address"], [filled(1, 20)])} p1=4:${coder.encode(["uint256"], [300])}`,
      `p2=6:${coder.encode(["string"], ["x"])} p3=2:${coder.encode(["bytes"], ["0x"])}`,
      `p4=3:${coder.encode(["int256"], [-1])} `,
    ].join(" ");
    expect(said("wholeEvent", trigger)).toEqual([
      `${filled(12, 20)} 40000 40000 null`,
      blockText,
      transactionText,
      encoded,
      "null",
    ]);
  });

  test("an event of a block without some numbers, in a transaction that creates a contract", () => {
    const trigger = {
      ...eventOf(),
      block: { ...block, size: null, baseFeePerGas: null },
      transaction: { ...transaction, to: null },
    };
    const [, ofBlock, ofTransaction] = said("wholeEvent", trigger);
    expect(ofBlock).toBe(blockText.replace("128 9223372036854775808", "null null"));
    expect(ofTransaction).toBe(transactionText.replace(filled(11, 20), "null"));
  });

  test("a receipt, with or without optional fields", () => {
    const receipt: Receipt = {
      transactionHash: filled(9),
      transactionIndex: 130,
      block,
      cumulativeGasUsed: 5_000_000n,
      gasUsed: 54_321n,
      contractAddress: filled(20, 20),
      logs: [log, { ...log, topics: [], data: "0x", logIndex: 40_001, removed: true }],
      status: 1n,
      root: filled(21),
      logsBloom: filled(22, 256),
    };
    const head = `${filled(9)} 130 ${filled(1)} 18000000 5000000 54321`;
    const tail = `${filled(1)} 18000000 ${filled(9)} 130`;
    expect(said("wholeEvent", { ...eventOf(), receipt }).slice(4)).toEqual([
      `${head} ${filled(20, 20)} 1 ${filled(21)} ${filled(22, 256)}`,
      `${filled(12, 20)} ${filled(13)},${filled(14)}, 0x0102 ${tail} 40000 null null false`,
      `${filled(12, 20)}  0x ${tail} 40001 null null true`,
    ]);
    const bare = { ...receipt, contractAddress: null, status: null, root: null, logs: [] };
    expect(said("wholeEvent", { ...eventOf(), receipt: bare }).slice(4)).toEqual([
      `${head} null null null ${filled(22, 256)}`,
    ]);
  });

  test("a call", () => {
    const call = {
      from: filled(30, 20),
      to: filled(31, 20),
      input: "0x",
      output: "0x",
      transactionHash: filled(9),
      transactionIndex: 130,
    };
    const inputs = [{ name: "", value: uint(1) }];
    const outputs = [{ name: "ok", value: { kind: "bool", value: true } as const }];
    expect(said("wholeCall", { kind: "call", call, block, transaction, inputs, outputs })).toEqual([
      `${filled(31, 20)} ${filled(30, 20)}`,
      blockText,
      transactionText,
      `=4:${coder.encode(["uint256"], [1])} `,
      `ok=5:${coder.encode(["bool"], [true])} `,
    ]);
  });
});

describe("entities", () => {
  const everyKind: readonly (readonly [string, StoreValue])[] = [
    ["id", { kind: "String", value: "from" }],
    ["bytes", { kind: "Bytes", value: "0x00ff" }],
    ["int", { kind: "Int", value: -5 }],
    ["int8", { kind: "Int8", value: -(2n ** 63n) }],
    ["time", { kind: "Timestamp", value: 1_700_000_000_000_001n }],
    ["big", { kind: "BigInt", value: -(2n ** 200n) }],
    ["third", { kind: "BigDecimal", value: { digits: -33n, exponent: -2 } }],
    ["yes", { kind: "Bool", value: true }],
    ["no", { kind: "Bool", value: false }],
    ["null", { kind: "Null" }],
    [
      "list",
      { kind: "Array", value: [{ kind: "Array", value: [{ kind: "Int", value: 1 }] }, { kind: "Null" }] },
    ],
    ["gone", { kind: "String", value: "x" }],
  ];

  test("entities are read sorted, and written with nulls and unset fields", () => {
    const world = testWorld({ get: (_, id) => (id === "from" ? new Map(everyKind) : undefined) });
    mapping.run("copy", eventOf(text("from"), text("to")), world);
    const names = everyKind.map(([name]) => name);
    expect(world.said).toEqual([`${names.sort().join(" ")} `]);
    const expected = new Map(everyKind);
    expected.set("gone", { kind: "Null" });
    expect(world.done).toEqual([["set", "Thing", "to", expected]]);
  });

  test("an entity may be missing", () => {
    expect(answer(mapping, "copy", text("from"), text("to"))).toBe("null");
  });

  test("entities contain values of all kinds", () => {
    const world = testWorld();
    mapping.run("makeValues", eventOf(), world);
    const empty: StoreValue = { kind: "Array", value: [] };
    const made: Entity = new Map<string, StoreValue>([
      ["int", { kind: "Int", value: -5 }],
      ["int8", { kind: "Int8", value: -(2n ** 63n) }],
      ["time", { kind: "Timestamp", value: 1_700_000_000_000_001n }],
      ["yes", { kind: "Bool", value: true }],
      ["no", { kind: "Bool", value: false }],
      ["empty", { kind: "Bytes", value: "0x" }],
      ["list", { kind: "Array", value: [{ kind: "String", value: "ab" }, { kind: "Null" }, empty] }],
      ["third", { kind: "BigDecimal", value: { digits: BigInt("3".repeat(34)), exponent: -34 } }],
      ["part", { kind: "Bytes", value: "0x020304" }],
    ]);
    expect(world.done).toEqual([["set", "Thing", "made", made]]);
  });

  test("finds entities in the block or by a reference, and removes them", () => {
    const thing = (id: string): Entity => new Map([["id", { kind: "String", value: id }]]);
    const asked: unknown[] = [];
    const world = testWorld({
      getInBlock: (type, id) => (type === "Thing" && id === "here" ? thing(id) : undefined),
      related: (...asking) => {
        asked.push(asking);
        return [thing("a"), thing("b")];
      },
    });
    mapping.run("moreStore", eventOf(), world);
    expect(world.said).toEqual(["found", "a", "b"]);
    expect(asked).toEqual([["Owner", "o", "things"]]);
    expect(world.done).toEqual([["remove", "Thing", "old"]]);
  });

  test("lists in entities may be nested only to a limited depth", () => {
    const world = testWorld();
    mapping.run("nestedValues", eventOf(int(100)), world);
    expect(world.done).toHaveLength(1);
    expect(() => mapping.run("nestedValues", eventOf(int(130)), world)).toThrow("nested");
  });
});

describe("a handler can access", () => {
  test("a handler reads its data source and creates new ones", () => {
    const context: Entity = new Map([["hello", { kind: "String", value: "world" }]]);
    const world = testWorld({ context });
    mapping.run("sources", eventOf(), world);
    expect(world.said).toEqual([`${filled(12, 20)} mainnet`, "world"]);
    expect(world.done).toEqual([
      ["create", "Pool", ["0x01", "more"]],
      ["create", "Pool", ["0x02"], new Map([["number", { kind: "Int", value: 7 }]])],
    ]);
  });

  test("a handler calls contracts", () => {
    const asked: unknown[] = [];
    const results = [[uint(9)], undefined];
    const world = testWorld({
      call: (call) => {
        asked.push(call);
        return results.shift();
      },
    });
    const trigger = eventOf(uint(5), address(filled(1, 20)));
    mapping.run("contract", trigger, world);
    mapping.run("contract", trigger, world);
    expect(world.said).toEqual(["9", "reverted"]);
    expect(asked[0]).toEqual({
      contract: "Token",
      address: filled(1, 20),
      name: "f",
      signature: "f(uint256):(uint256)",
      args: [uint(5)],
    });
  });

  test("a handler reads balances and code of accounts", () => {
    const world = testWorld({ balance: () => 10n ** 18n, hasCode: (of) => of === filled(2, 20) });
    mapping.run("account", eventOf(address(filled(1, 20))), world);
    mapping.run("account", eventOf(address(filled(2, 20))), world);
    expect(world.said).toEqual(["1000000000000000000", "no code", "1000000000000000000", "code"]);
  });
});

describe("a run ends early", () => {
  function failure(handler: string, ...values: readonly EthereumValue[]): unknown {
    try {
      mapping.run(handler, eventOf(...values), testWorld());
    } catch (error) {
      return error;
    }
    throw new Error("it did not fail");
  }

  test("a run that aborts reports where", () => {
    const error = failure("giveUp");
    if (!(error instanceof AbortError)) throw error;
    const source = readFileSync(new URL("./probe.as", import.meta.url), "utf8").split("\n");
    expect(error).toMatchObject({ reason: "it was not to be", file: "src/mapping.ts", column: 3 });
    expect(source[error.line - 1]).toContain("assert(false");
    expect(error).toBeInstanceOf(DeterministicError);
    expect(error.message).toBe(
      `Mapping aborted at src/mapping.ts, line ${error.line}, column 3, with message: it was not to be`,
    );
  });

  test("a run may abort without a place or a message", () => {
    const error = new AbortError(undefined, undefined, 0, 0);
    expect(error.message).toBe("Mapping aborted at an unknown location, with no message");
  });

  test("a run that traps reports the function", () => {
    const error = failure("divideByZero", int(0));
    expect(error).toBeInstanceOf(TrapError);
    expect(error).toBeInstanceOf(DeterministicError);
    expect(error).toMatchObject({ functions: [expect.stringContaining("divideByZero")] });
    expect(failure("outOfBounds")).toBeInstanceOf(TrapError);
  });

  test("endless recursion ends a run", () => {
    const error = failure("overflowStack");
    expect(error).toBeInstanceOf(DeterministicError);
    expect(error).toMatchObject({ name: "LimitError", cause: expect.any(RangeError) });
  });

  test("a critical log line ends a run", () => {
    const world = testWorld();
    expect(() => mapping.run("levels", eventOf(), world)).toThrow(DeterministicError);
    expect(() => mapping.run("levels", eventOf(), testWorld())).toThrow(
      "Critical error logged in mapping with log message: stop now",
    );
    expect(world.said).toEqual(["debug: d 1", "i", "warning: w", "error: e", "critical: stop now"]);
  });

  test.each([
    ["nullString", "AssemblyScript value that is 'null'"],
    ["wildString", "out of bounds"],
    ["loneSurrogate", "not valid UTF-16"],
  ])("in %s", (handler, message) => {
    const error = failure(handler);
    expect(error).toBeInstanceOf(DeterministicError);
    expect(error).not.toBeInstanceOf(TrapError);
    expect(String(error)).toContain(message);
  });

  test("missing data ends a run with a fault, and the handler runs again", () => {
    const fault = new Fault(async () => undefined);
    const other = new Error("the database is gone");
    for (const thrown of [fault, other]) {
      const world = testWorld({
        get: () => {
          throw thrown;
        },
      });
      expect(() => mapping.run("lookup", eventOf(), world)).toThrow(thrown);
      let caught: unknown;
      try {
        mapping.run("lookup", eventOf(), world);
      } catch (error) {
        caught = error;
      }
      expect(caught).toBe(thrown);
      expect(world.said).toEqual(["asked", "asked"]);
    }
    expect(ask(mapping, "lookup")).toEqual(["asked", `answered ${log.address}`]);
  });

  test("a missing handler is an error", () => {
    expect(failure("nowhere")).toMatchObject({ message: "the module does not export a function nowhere" });
  });
});

describe("every run starts from the initial state", () => {
  test.each([
    10, 100_000, 3_000_000,
  ])("starts from the initial state after a run that used %d bytes", (size) => {
    for (let i = 0; i < 3; i++) expect(answer(mapping, "leaveTraces", int(size))).toBe("1 ab");
  });

  test("starts from the initial state inside another run", () => {
    const inner = testWorld();
    const outer = testWorld({
      get: () => {
        mapping.run("leaveTraces", eventOf(int(10)), inner);
        return undefined;
      },
    });
    mapping.run("lookup", eventOf(), outer);
    mapping.run("leaveTraces", eventOf(int(10)), inner);
    expect(inner.said).toEqual(["1 ab", "1 ab"]);
    expect(outer.said).toEqual(["asked", `answered ${log.address}`]);
  });
});

test("the exports of a mapping are its functions", () => {
  expect([...mapping.exports]).toEqual(expect.arrayContaining(["wholeEvent", "copy", "allocate", "_start"]));
  expect(mapping.exports.has("memory")).toBe(false);
  expect(mapping.exports.has("TypeId.String")).toBe(false);
});
