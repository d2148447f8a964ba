import { AbiCoder } from "ethers";

/** Answers by word: what a contract returns that ignores its own ABI. */
type Word = bigint | string;

/** What a function's ABI says that it returns, what it answers instead, and what its field then holds. */
export interface MisfitRow {
  readonly about: string;
  readonly returns: string;
  readonly answer: string;
  /** The field's type and expression; by default the result itself. */
  readonly field?: readonly [type: string, expression: (call: string) => string];
  /** Absent when the call counts as failed. */
  readonly stored?: unknown;
}

const coder = AbiCoder.defaultAbiCoder();

/** The words as an answer. A string is bytes without 0x, padded on the right. */
function words(...parts: readonly Word[]): string {
  const hex = (part: Word): string =>
    typeof part === "string"
      ? part.padEnd(64, "0")
      : BigInt.asUintN(256, part).toString(16).padStart(64, "0");
  return `0x${parts.map(hex).join("")}`;
}

/** Calldata, as a fallback answers that returns what it was asked: the selector of `decimals()`. */
const echo = words("313ce567");

/** A number for every small integer type that is just inside of its range, just outside, and far outside. */
const integers = [
  [8, 16, 24].map((bits) => ({ type: `uint${bits}`, lowest: 0n, highest: 2n ** BigInt(bits) - 1n })),
  [8, 16, 24, 32].map((bits) => ({
    type: `int${bits}`,
    lowest: -(2n ** BigInt(bits - 1)),
    highest: 2n ** BigInt(bits - 1) - 1n,
  })),
]
  .flat()
  .flatMap(({ type, lowest, highest }): MisfitRow[] => {
    const outside = [highest + 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 255n, 2n ** 256n - 1n];
    const isOutside = (value: bigint) => value > highest && (lowest === 0n || value !== 2n ** 256n - 1n);
    return [
      ...[lowest, highest].map((value) => ({
        about: `${value}`,
        returns: type,
        answer: words(value),
        stored: Number(value),
      })),
      ...outside
        .filter(isOutside)
        .map((value) => ({ about: `${value}`, returns: type, answer: words(value) })),
      ...(lowest === 0n ? [] : [{ about: `${lowest - 1n}`, returns: type, answer: words(lowest - 1n) }]),
      { about: "its calldata", returns: type, answer: echo },
    ];
  });

const item = (type: string, path: string) =>
  [type, (call: string) => `${call} === null ? -1 : ${call}!${path}`] as const;

const nested: readonly MisfitRow[] = [
  { about: "items in range", returns: "uint8[]", answer: words(32n, 2n, 0n, 255n), stored: [0, 255] },
  { about: "one item out of range", returns: "uint8[]", answer: words(32n, 2n, 255n, 2n ** 40n) },
  { about: "an empty list", returns: "int16[]", answer: words(32n, 0n), stored: [] },
  { about: "one item out of range", returns: "int16[3]", answer: words(1n, 2n, -32769n) },
  {
    about: "a list of lists in range",
    returns: "uint24[2][]",
    answer: words(32n, 1n, 3n, 4n),
    field: item("int32", "[0][1]"),
    stored: 4,
  },
  {
    about: "a list of lists with an item out of range",
    returns: "uint24[2][]",
    answer: words(32n, 1n, 3n, 2n ** 24n),
    field: item("int32", "[0][1]"),
    stored: -1,
  },
  {
    about: "a struct in range",
    returns: "tuple(uint256 price, tuple(int24 tick, bool open) state) slot",
    answer: words(5n, -7n, 1n),
    field: item("int32", ".state.tick"),
    stored: -7,
  },
  {
    about: "a struct whose inner member is out of range",
    returns: "tuple(uint256 price, tuple(int24 tick, bool open) state) slot",
    answer: words(5n, 2n ** 31n, 1n),
    field: item("int32", ".state.tick"),
    stored: -1,
  },
  {
    about: "a list of structs in range",
    returns: "tuple(uint8 kind, uint16[] more)[] items",
    answer: coder.encode(["tuple(uint8,uint16[])[]"], [[[7, [8]]]]),
    field: item("int32", "[0].more[0]"),
    stored: 8,
  },
  {
    about: "a list of structs with a number out of range",
    returns: "tuple(uint8 kind, uint16[] more)[] items",
    answer: coder.encode(["tuple(uint256,uint256[])[]"], [[[7, [65536]]]]),
    field: item("int32", "[0].more[0]"),
    stored: -1,
  },
  {
    about: "several results in range",
    returns: "uint112 reserve, uint8 fee",
    answer: words(9n, 30n),
    field: item("int32", ".getFee()"),
    stored: 30,
  },
  {
    about: "several results, the second out of range",
    returns: "uint112 reserve, uint8 fee",
    answer: words(9n, 2n ** 200n),
    field: item("int32", ".getFee()"),
    stored: -1,
  },
];

/** Answers that decode although they are odd, and answers that do not decode. As in graph-node. */
const others: readonly MisfitRow[] = [
  { about: "2", returns: "bool", answer: words(2n), stored: true },
  { about: "its calldata", returns: "bool", answer: echo, stored: true },
  {
    about: "dirty upper bytes",
    returns: "address",
    answer: `0x${"f".repeat(24)}${"0".repeat(38)}a7`,
    field: ["address", (call) => `${call} === null ? "none" : ${call}!.toHexString()`],
    stored: `0x${"0".repeat(38)}a7`,
  },
  { about: "a dirty tail", returns: "bytes4", answer: `0x01020304${"f".repeat(56)}`, stored: "0x01020304" },
  { about: "invalid UTF-8", returns: "string", answer: words(32n, 3n, "61ff62"), stored: "a\ufffdb" },
  { about: "an answer that is too long", returns: "uint8", answer: words(6n, 7n), stored: 6 },
  { about: "the whole word", returns: "uint32", answer: words(2n ** 40n), stored: 2n ** 40n },
  { about: "no answer", returns: "uint8", answer: "0x" },
  { about: "an answer that is too short", returns: "uint8", answer: "0x06" },
  { about: "a list that ends early", returns: "uint8[]", answer: words(32n, 3n, 1n) },
  { about: "a length that cannot be", returns: "uint8[]", answer: words(32n, 2n ** 255n, 1n) },
  { about: "a word where a string should be", returns: "string", answer: words("4d4b52") },
  {
    about: "a string where a word should be",
    returns: "uint8",
    answer: words(32n, 3n, "4d4b52"),
    stored: 32,
  },
];

/** Answers of every kind that do not fit their ABI, and those beside them that do. */
export const MISFITS: readonly MisfitRow[] = [...integers, ...nested, ...others];

/** Answers every selector with what was set for it. */
export const ODD_SOURCE = `
contract Odd {
  event Asked(uint256 x);
  event Needed(uint256 x);
  event Depended(uint256 x);
  event Held(uint256 x);
  mapping(bytes4 => bytes) private answers;
  function set(bytes4 selector, bytes calldata answer) external { answers[selector] = answer; }
  function fire() external { emit Asked(1); emit Needed(2); emit Depended(3); emit Held(4); }
  fallback(bytes calldata) external returns (bytes memory) { return answers[msg.sig]; }
}`;
