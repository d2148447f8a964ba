import type { Result } from "ethers";
import type { PlainEntity } from "../harness.js";

/** Structs of the contract, in the notations of Solidity and ethers. */
export const STRUCTS: Readonly<Record<string, string>> = {
  Order: "tuple(address maker, uint8 kind, uint64[2] range)",
  Pair: "tuple(address token, uint24 fee)",
  Point: "tuple(uint8 x, tuple(int24 y, uint16[] zs) inner)",
};
const MEMBERS = `
  struct Order { address maker; uint8 kind; uint64[2] range; }
  struct Pair { address token; uint24 fee; }
  struct Inner { int24 y; uint16[] zs; }
  struct Point { uint8 x; Inner inner; }`;

const order = (n: number): unknown[] => [a(n), 200n, [1n, 2n ** 64n - 1n]];
const point = [255n, [-(2n ** 23n), [1n, 65535n]]];

/**
 * Kinds of arguments with a value. The contract returns the hash of the arguments it received. The expressions default
 * to the event's parameters.
 */
export const ARGUMENTS: readonly (readonly [types: string, values: readonly unknown[], params?: string])[] = [
  ["address", [a(9)]],
  ["bool", [true]],
  ["string", ['a "b" \u{1f984}']],
  ["bytes", ["0x010203"]],
  ["bytes4", ["0x01020304"]],
  ["uint8", [255n]],
  ["int8", [-128n]],
  ["int24", [-887272n]],
  ["uint32", [2n ** 32n - 1n]],
  ["int32", [-(2n ** 31n)]],
  ["uint256", [2n ** 256n - 1n]],
  ["int256", [-(2n ** 255n)]],
  ["uint256[]", [[1n, 2n]]],
  ["uint8[]", [[0n, 255n]]],
  ["uint16[]", [[65535n]]],
  ["uint24[]", [[2n ** 24n - 1n]]],
  ["int24[]", [[-1n, 1n]]],
  ["int32[]", [[-(2n ** 31n)]]],
  ["uint32[]", [[2n ** 32n - 1n]]],
  ["address[]", [[a(1), a(2)]]],
  ["bytes4[]", [["0x01020304"]]],
  ["string[]", [["", "x"]]],
  ["bool[]", [[true, false]]],
  ["uint256[2]", [[1n, 2n]]],
  ["uint8[3]", [[1n, 2n, 255n]]],
  ["int16[2]", [[-1n, 1n]]],
  ["address[2]", [[a(1), a(2)]]],
  ["string[2]", [["x", "y"]]],
  ["uint256[][]", [[[1n], []]]],
  ["uint8[][]", [[[255n], [1n, 2n]]]],
  ["uint8[2][]", [[[1n, 2n]]]],
  ["uint8[][2]", [[[1n], []]]],
  ["Order", [order(1)]],
  ["Order[]", [[order(1), order(2)]]],
  ["Order[2]", [[order(1), order(2)]]],
  ["Point", [point]],
  ["Point[]", [[point, point]]],
  ["uint8[], uint8, uint256[2], string", [[9n], 200n, [1n, 2n], "x"]],
  ["uint8[]", [[7n, 255n]], "[7, event.params.p0[1]]"],
  ["uint256[2]", [[7n, 3n]], "[event.params.p0[0], BigInt.fromI32(3)]"],
  [
    "Pair",
    [[a(6), 3000n]],
    "[ethereum.Value.fromAddress(event.params.p0.token), ethereum.Value.fromUnsignedBigInt(BigInt.fromI32(event.params.p0.fee))]",
  ],
];

/** Kinds of results: the contract's answer, fields that use it, and their values computed from ethers' result. */
export const RESULTS: readonly {
  readonly types: string;
  readonly values: readonly unknown[];
  readonly fields: Readonly<Record<string, string>>;
  readonly expected: (result: Result) => PlainEntity;
}[] = [
  {
    types: "Order",
    values: [order(3)],
    fields: {
      "maker address": "calls.r.maker.toHexString()",
      "kind uint8": "calls.r.kind",
      "end uint64": "calls.r.range[1]",
    },
    expected: ([{ maker, kind, range }]) => ({ maker: lower(maker), kind: Number(kind), end: range[1] }),
  },
  {
    types: "Order[]",
    values: [[order(3), order(4)]],
    fields: { "count int32": "calls.r.length", "maker address": "calls.r[1].maker.toHexString()" },
    expected: ([orders]) => ({ count: orders.length, maker: lower(orders[1].maker) }),
  },
  {
    types: "Point",
    values: [point],
    fields: { "x uint8": "calls.r.x", "y int24": "calls.r.inner.y", "zs uint16[]": "calls.r.inner.zs" },
    expected: ([{ x, inner }]) => ({ x: Number(x), y: Number(inner.y), zs: [...inner.zs].map(Number) }),
  },
  {
    types: "uint8[]",
    values: [[1n, 255n]],
    fields: { "v uint8[]": "calls.r" },
    expected: ([list]) => ({ v: [...list].map(Number) }),
  },
  {
    types: "int256[3]",
    values: [[-1n, 0n, 2n ** 255n - 1n]],
    fields: { "v int256[]": "calls.r" },
    expected: ([list]) => ({ v: [...list] }),
  },
  {
    types: "uint8[2][]",
    values: [
      [
        [1n, 2n],
        [3n, 4n],
      ],
    ],
    fields: { "v uint8": "calls.r[1][0]" },
    expected: ([list]) => ({ v: Number(list[1][0]) }),
  },
  {
    types: "string[]",
    values: [["", "\u{1f984}"]],
    fields: { "v string[]": "calls.r" },
    expected: ([list]) => ({ v: [...list] }),
  },
  {
    types: "bytes",
    values: ["0x00ff"],
    fields: { "v bytes": "calls.r" },
    expected: ([v]) => ({ v }),
  },
  {
    types: "int256",
    values: [-5n],
    fields: { "v fixed": 'calls.r.toBigDecimal() / BigDecimal.fromString("4")' },
    expected: () => ({ v: "-1.25" }),
  },
  {
    types: "int24, uint112, address[], Order[]",
    values: [-7n, 2n ** 112n - 1n, [a(6)], [order(5)]],
    fields: {
      "tick int24": "calls.r.getValue0()",
      "reserve uint112": "calls.r.value1",
      "holder address": "calls.r.getValue2()[0].toHexString()",
      "maker address": "calls.r.getValue3()[0].maker.toHexString()",
    },
    expected: ([tick, reserve, holders, orders]) => ({
      tick: Number(tick),
      reserve,
      holder: lower(holders[0]),
      maker: lower(orders[0].maker),
    }),
  },
];

/** A contract that accepts and returns every kind; `giveN` and `answerN` emit the handled events. */
export const ARGUMENTS_SOURCE = `
contract Arguments {${MEMBERS}
  ${ARGUMENTS.map(([types], i) => argument(types, i)).join("\n")}
  ${RESULTS.map(({ types }, i) => result(types, i)).join("\n")}
}`;

/** Handlers that forward each kind of argument. */
export function argumentHandlers(): object {
  return Object.fromEntries(
    ARGUMENTS.map(([, values, text], i) => {
      const params = text ?? values.map((_, j) => `event.params.p${j}`).join(", ");
      const calls = { hash: { name: `take${i}`, params, required: true } };
      return [`Given${i}`, { calls, entities: { [`Taken${i}`]: { "hash bytes32": "calls.hash" } } }];
    }),
  );
}

/** Handlers that read each kind of result. */
export function resultHandlers(): object {
  return Object.fromEntries(
    RESULTS.map(({ fields }, i) => {
      const calls = { r: { name: `read${i}`, required: true } };
      return [`Asked${i}`, { calls, entities: { [`Answer${i}`]: fields } }];
    }),
  );
}

function argument(types: string, i: number): string {
  const names = types.split(", ").map((_, j) => `p${j}`);
  const given = types.split(", ").map((type, j) => `${inMemory(type)} p${j}`);
  const emitted = types.split(", ").map((type, j) => `${type} p${j}`);
  return `
  event Given${i}(${emitted});
  function give${i}(${given}) external { emit Given${i}(${names}); }
  function take${i}(${given}) external pure returns (bytes32) { return keccak256(abi.encode(${names})); }`;
}

function result(types: string, i: number): string {
  const names = types.split(", ").map((_, j) => `p${j}`);
  const given = types.split(", ").map((type, j) => `${inMemory(type)} p${j}`);
  return `
  event Asked${i}();
  bytes private kept${i};
  function answer${i}(${given}) external { kept${i} = abi.encode(${names}); emit Asked${i}(); }
  function read${i}() external view returns (${types.split(", ").map(inMemory)}) {
    return abi.decode(kept${i}, (${types}));
  }`;
}

function inMemory(type: string): string {
  return /^[A-Z]|\[|string|bytes$/.test(type) ? `${type} memory` : type;
}

/** A fixed address: `a(1)` is `0x00…01`. */
export function a(number: number): string {
  return `0x${number.toString(16).padStart(40, "0")}`;
}

function lower(address: unknown): string {
  return String(address).toLowerCase();
}
