import { id } from "ethers";
import { a } from "./harness.js";

/** The types a function returns, its answer, fields computed from it, and how they are stored. */
export interface ResultRow {
  readonly returns: string;
  readonly answer: readonly unknown[];
  readonly fields: Readonly<Record<string, string>>;
  readonly stored: Readonly<Record<string, unknown>>;
  /** Inputs that graph-cli's bindings encode wrongly, so that the call is made differently. */
  readonly small?: boolean;
}

const hex = "calls.r.toHexString()";
const plain = (returns: string, answer: unknown, stored: unknown, expression = "calls.r"): ResultRow => ({
  returns,
  answer: [answer],
  fields: { [`v ${returns}`]: expression },
  stored: { v: stored },
});

const several: ResultRow = {
  returns: "uint112 reserve0, address token, uint32, string[] names",
  answer: [5n, a(7), 6n, ["x", "y"]],
  fields: {
    "reserve uint112": "calls.r.getReserve0()",
    "token address": "calls.r.getToken().toHexString()",
    "third uint32": "calls.r.getValue2()",
    "byIndex uint256": "calls.r.value0.plus(calls.r.value2)",
    "names string[]": "calls.r.getNames()",
  },
  stored: { reserve: 5n, token: a(7), third: 6n, byIndex: 11n, names: ["x", "y"] },
};
const struct: ResultRow = {
  returns: "tuple(uint256 sqrt, int24 tick, tuple(address pool, bool open) state) slot",
  answer: [[9n, -5n, [a(8), true]]],
  fields: {
    "sqrt uint256": "calls.r.sqrt",
    "tick int24": "calls.r.tick",
    "pool address": "calls.r.state.pool.toHexString()",
    "open bool": "calls.r.state.open",
  },
  stored: { sqrt: 9n, tick: -5, pool: a(8), open: true },
};
const structs: ResultRow = {
  returns: "tuple(uint8 kind, bytes4 sel)[] items, uint256[2][] pairs",
  answer: [
    [
      [255n, "0x01020304"],
      [1n, "0x00000000"],
    ],
    [[1n, 2n]],
  ],
  fields: {
    "count int32": "calls.r.getItems().length",
    "first uint8": "calls.r.getItems()[0].kind",
    "sel bytes4": "calls.r.getItems()[1].sel",
    "pair uint256": "calls.r.getPairs()[0][1]",
  },
  stored: { count: 2, first: 255, sel: "0x00000000", pair: 2n },
};

/** Results of every kind. */
export const resultRows: readonly ResultRow[] = [
  plain("address", a(9), a(9), hex),
  plain(
    "address[]",
    [a(1), a(2)],
    [a(1), a(2)],
    "calls.r.map<string>((x: Address): string => x.toHexString())",
  ),
  plain("bool", true, true),
  plain("string", "x", "x"),
  plain("bytes", "0x0102", "0x0102"),
  plain("bytes32", id("x"), id("x")),
  plain("uint8", 255n, 255),
  plain("int24", -1n, -1),
  plain("int32", -(2n ** 31n), -(2 ** 31)),
  plain("uint32", 2n ** 32n - 1n, 2n ** 32n - 1n),
  plain("int256", -(2n ** 255n), -(2n ** 255n)),
  plain("uint8[]", [255n], [255]),
  plain("int256[3]", [-1n, 0n, 1n], [-1n, 0n, 1n]),
  plain("bool[2]", [true, false], [true, false]),
  plain("string[]", [], []),
  {
    returns: "uint256",
    answer: [25n],
    fields: { "v fixed": "calls.r.toBigDecimal() / BigDecimal.fromString('100')" },
    stored: { v: "0.25" },
  },
  several,
  struct,
  structs,
  { ...plain("uint8", 255n, 255), small: true },
  {
    ...plain("address[]", [a(1)], [a(1)], "calls.r.map<string>((x: Address): string => x.toHexString())"),
    small: true,
  },
  { ...several, small: true },
  { ...struct, small: true },
  { ...structs, small: true },
];
