import { AbiCoder, id, keccak256, ParamType } from "ethers";
import { topicOf } from "../../support/chain/encode-log.js";
import { a } from "./harness.js";

/** A type, a value in ethers' form, and how it is stored. */
export type EventTypeRow = readonly [solidity: string, given: unknown, graphql: string, stored: unknown];

const bits = (size: number): bigint => 2n ** BigInt(size);
const hash = id("anything");
/** The ABI encoding of one value. */
export const encoded = (type: string, value: unknown): string =>
  AbiCoder.defaultAbiCoder().encode([type], [value]);

const deep = (type: string, value: unknown): EventTypeRow => [type, value, "Bytes!", encoded(type, value)];

const indexed = (type: string, value: unknown): EventTypeRow => {
  return [`${type} indexed`, value, "Bytes!", topicOf(ParamType.from(type), value)];
};

/** The type table of section 3 of the configuration format, one event per row. */
export const eventTypeRows: readonly EventTypeRow[] = [
  [
    "address",
    "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    "String!",
    "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
  ],
  ["bool", true, "Boolean!", true],
  ["bool", false, "Boolean!", false],
  ["string", 'Zoë \u{1f984} "\\\n', "String!", 'Zoë \u{1f984} "\\\n'],
  ["string", "", "String!", ""],
  ["bytes", "0x", "Bytes!", "0x"],
  ["bytes", `0x${"ab".repeat(100)}`, "Bytes!", `0x${"ab".repeat(100)}`],
  ["bytes1", "0xff", "Bytes!", "0xff"],
  ["bytes4", "0x00010200", "Bytes!", "0x00010200"],
  ["bytes20", a(5), "Bytes!", a(5)],
  ["bytes32", hash, "Bytes!", hash],
  ...[8, 16, 24, 32].flatMap((size): EventTypeRow[] => [
    [`int${size}`, -bits(size - 1), "Int!", -(2 ** (size - 1))],
    [`int${size}`, bits(size - 1) - 1n, "Int!", 2 ** (size - 1) - 1],
    [`int${size}`, -1n, "Int!", -1],
  ]),
  ...[8, 16, 24].flatMap((size): EventTypeRow[] => [
    [`uint${size}`, bits(size) - 1n, "Int!", 2 ** size - 1],
    [`uint${size}`, 0n, "Int!", 0],
  ]),
  ...[40, 64, 128, 256].flatMap((size): EventTypeRow[] => [
    [`int${size}`, -bits(size - 1), "BigInt!", -bits(size - 1)],
    [`int${size}`, bits(size - 1) - 1n, "BigInt!", bits(size - 1) - 1n],
  ]),
  ...[32, 40, 64, 160, 256].flatMap((size): EventTypeRow[] => [
    [`uint${size}`, bits(size) - 1n, "BigInt!", bits(size) - 1n],
    [`uint${size}`, 0n, "BigInt!", 0n],
  ]),
  ["address[]", [a(1), a(2)], "[String!]!", [a(1), a(2)]],
  ["address[]", [], "[String!]!", []],
  ["address[2]", [a(1), a(2)], "[String!]!", [a(1), a(2)]],
  ["bool[]", [true, false], "[Boolean!]!", [true, false]],
  ["string[2]", ["x", ""], "[String!]!", ["x", ""]],
  ["bytes[]", ["0x", "0x0102"], "[Bytes!]!", ["0x", "0x0102"]],
  ["bytes3[2]", ["0x010203", "0x000000"], "[Bytes!]!", ["0x010203", "0x000000"]],
  ["uint8[]", [0n, 255n], "[Int!]!", [0, 255]],
  ["int32[3]", [-1n, 0n, bits(31) - 1n], "[Int!]!", [-1, 0, 2 ** 31 - 1]],
  ["uint32[]", [bits(32) - 1n], "[BigInt!]!", [bits(32) - 1n]],
  ["int256[2]", [-bits(255), bits(255) - 1n], "[BigInt!]!", [-bits(255), bits(255) - 1n]],
  deep("uint8[][]", [[1n, 2n], [], [255n]]),
  deep("uint256[2][]", [[1n, bits(256) - 1n]]),
  deep("int24[][2]", [[-1n], [5n]]),
  deep("string[][]", [["x", "yy"], []]),
  deep("bytes4[2][2]", [
    ["0x00000001", "0x00000002"],
    ["0x00000003", "0x00000004"],
  ]),
  deep("tuple(uint8[] list, bytes data)[]", [[[1n, 2n], "0x05"]]),
  deep("tuple(uint256 x, tuple(bool[] flags) y)[2]", [
    [1n, [[true]]],
    [2n, [[]]],
  ]),
  deep("tuple(uint256 x)[][]", [[[1n], [2n]], []]),
  ["address indexed", a(9), "String!", a(9)],
  ["int24 indexed", -887272n, "Int!", -887272],
  ["uint256 indexed", bits(256) - 1n, "BigInt!", bits(256) - 1n],
  ["bool indexed", true, "Boolean!", true],
  ["bytes4 indexed", "0x01020304", "Bytes!", "0x01020304"],
  ["bytes32 indexed", hash, "Bytes!", hash],
  ["string indexed", "hello", "Bytes!", id("hello")],
  ["bytes indexed", "0x0102", "Bytes!", keccak256("0x0102")],
  indexed("uint256[]", [1n, 2n]),
  indexed("address[]", [a(1)]),
  indexed("address[2]", [a(1), a(2)]),
  indexed("uint8[2]", [1n, 2n]),
];
