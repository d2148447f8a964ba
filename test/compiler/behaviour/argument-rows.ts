import { id } from "ethers";
import { a } from "./harness.js";

/**
 * Types of a function's inputs and of an event's parameters, the values emitted, the expression that passes them on,
 * and the arguments the function receives when they differ from the emitted values.
 */
export type ArgumentRow = readonly [
  inputs: string,
  event: string,
  given: readonly unknown[],
  params: string,
  asked?: readonly unknown[],
];

const params = (count: number): string =>
  Array.from({ length: count }, (_, i) => `event.params.p${i}`).join(", ");
const same = (type: string, value: unknown): ArgumentRow => [type, `${type} p0`, [value], params(1)];
const order = "tuple(address maker, uint8 kind, uint64[2] range)";
const point = "tuple(uint8 x, tuple(int24 y, uint16[] zs) inner)";

/** Arguments of every kind. Those taken from the event must reach the function unchanged. */
export const argumentRows: readonly ArgumentRow[] = [
  same("address", a(9)),
  same("bool", true),
  same("string", 'a "b" \u{1f984}'),
  same("bytes", "0x010203"),
  same("bytes4", "0x01020304"),
  same("bytes32", id("x")),
  same("uint8", 255n),
  same("int8", -128n),
  same("uint24", 2n ** 24n - 1n),
  same("int24", -887272n),
  same("uint32", 2n ** 32n - 1n),
  same("int32", -(2n ** 31n)),
  same("uint256", 2n ** 256n - 1n),
  same("int256", -(2n ** 255n)),
  same("uint256[]", [1n, 2n]),
  same("int256[]", [-1n]),
  same("int24[]", [-1n, 1n]),
  same("uint8[]", [0n, 255n]),
  same("uint24[]", [2n ** 24n - 1n]),
  same("uint32[]", [2n ** 32n - 1n]),
  same("address[]", [a(1), a(2)]),
  same("bytes4[]", ["0x01020304"]),
  same("bytes[]", ["0x", "0x01"]),
  same("string[]", ["", "x"]),
  same("bool[]", [true, false]),
  same("uint256[2]", [1n, 2n]),
  same("uint8[3]", [1n, 2n, 3n]),
  same("int16[2]", [-1n, 1n]),
  same("address[2]", [a(1), a(2)]),
  same("string[2]", ["x", "y"]),
  same("bytes32[1]", [id("y")]),
  same("uint256[][]", [[1n], []]),
  same("uint8[][]", [[255n], [1n, 2n]]),
  same("uint256[2][]", [[1n, 2n]]),
  same("uint8[][2]", [[1n], []]),
  same(order, [a(1), 200n, [1n, 2n]]),
  same(`${order}[]`, [
    [a(1), 200n, [1n, 2n]],
    [a(2), 1n, [3n, 4n]],
  ]),
  same(`${order}[]`, []),
  same(`${order}[2]`, [
    [a(1), 200n, [1n, 2n]],
    [a(2), 1n, [3n, 4n]],
  ]),
  same(point, [255n, [-1n, [1n, 2n]]]),
  ["uint8[]", "uint8 p0, uint8 p1", [1n, 255n], "[event.params.p0, event.params.p1]", [[1n, 255n]]],
  ["uint256[2]", "uint256 p0", [7n], "[event.params.p0, BigInt.fromI32(3)]", [[7n, 3n]]],
  [
    "uint8[], uint8, uint256[2], string",
    "uint8[] p0, uint8 p1, uint256[2] p2, string p3",
    [[9n], 200n, [1n, 2n], "x"],
    params(4),
  ],
  [
    `${order}, ${point}[], address`,
    `${order} p0, ${point}[] p1, address p2`,
    [[a(3), 1n, [5n, 6n]], [[1n, [2n, []]]], a(4)],
    params(3),
  ],
  [
    "tuple(address token, uint24 fee)",
    "address p0, uint24 p1",
    [a(6), 3000n],
    "[ethereum.Value.fromAddress(event.params.p0), ethereum.Value.fromUnsignedBigInt(BigInt.fromI32(event.params.p1))]",
    [[a(6), 3000n]],
  ],
];
