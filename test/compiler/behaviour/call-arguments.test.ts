import { id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import type { WasmHost } from "../../support/wasm-host.js";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";

type Row = readonly [
  inputs: string,
  event: string,
  given: readonly unknown[],
  params: string,
  asked?: readonly unknown[],
];

const params = (count: number): string =>
  Array.from({ length: count }, (_, i) => `event.params.p${i}`).join(", ");
const same = (type: string, value: unknown): Row => [type, `${type} p0`, [value], params(1)];
const order = "tuple(address maker, uint8 kind, uint64[2] range)";
const point = "tuple(uint8 x, tuple(int24 y, uint16[] zs) inner)";

/** Arguments of every kind; those from the event are expected back as they were emitted. */
const rows: readonly Row[] = [
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

const sources = {
  Own: undefined,
  Literal: "0xDAC17F958D2ee523a2206206994597C13D831ec7",
  Parameter: "event.params.to",
  Expression: `event.params.to == Address.zero() ? event.address : Address.fromString("${a(0x44)}")`,
};
const abi = [
  ...rows.map(([, event], i) => `event Case${i}(${event})`),
  ...rows.map(([inputs], i) => `function take${i}(${inputs}) view returns (uint256)`),
  ...Object.keys(sources).map((name) => `event ${name}(address to)`),
];
const token = ["function decimals() view returns (uint8)", "function get(uint256) view returns (uint256)"];
const overloads = [
  "event One(uint256 x)",
  "event Two(uint256 x)",
  "event Named(address who)",
  "function get(uint256 x) view returns (uint256)",
  "function get(uint256 x, uint256 y) view returns (uint256)",
  "function get(address who) view returns (string)",
];

let built: BuiltScenario;
beforeAll(async () => {
  const cases = rows.map(([, , , text], i) => [
    `Case${i}`,
    {
      calls: { got: { name: `take${i}`, params: text, required: true } },
      entities: { [`Got${i}`]: { "got uint256": "calls.got" } },
    },
  ]);
  const elsewhere = Object.entries(sources).map(([name, source]) => [
    name,
    {
      calls: { decimals: { abi: "ERC-20 token", name: "decimals", ...(source && { source }) } },
      entities: { [`${name}Token`]: { "decimals uint8": "calls.decimals" } },
    },
  ]);
  const chosen = (name: string, text: string, type: string) => ({
    calls: { got: { name, params: text } },
    entities: { [`By${type}`]: { [`got ${type}`]: "calls.got" } },
  });
  built = await buildScenario({
    abis: { Args: abi, "ERC-20 token": token, Overloads: overloads },
    instances: [
      instance("Args", a(1), Object.fromEntries([...cases, ...elsewhere])),
      instance("Overloads", a(2), {
        One: chosen("get(uint256)", "event.params.x", "uint256"),
        Two: chosen("get", "event.params.x, event.params.x", "uint128"),
        Named: chosen("get(address)", "event.params.who", "string"),
      }),
    ],
  });
});

function emit(event: string, values: readonly unknown[], answer: unknown, from = abi, at = a(1)): WasmHost {
  const host = built.host();
  host.contracts = () => [answer];
  host.emit(from, at, event, values);
  return host;
}

describe("an argument reaches the contract as it was, of type", () => {
  test.each(rows.map((row, i) => [row[0], row[2], i] as const))("%s holding %s", (_, given, i) => {
    const host = emit(`Case${i}`, given, 77n);
    expect(host.calls.map(({ args }) => args)).toEqual([rows[i]?.[4] ?? given]);
    expect(host.all(`Got${i}`)).toMatchObject([{ got: 77n }]);
  });
});

describe("a call on another ABI is bound at", () => {
  test.each([
    ["Own", a(5), a(1), "its own address without a source"],
    ["Literal", a(5), "0xdac17f958d2ee523a2206206994597c13d831ec7", "a literal"],
    ["Parameter", a(5), a(5), "an address of the event"],
    ["Expression", a(5), a(0x44), "what an expression says"],
    ["Expression", a(0), a(1), "what an expression says, by its condition"],
  ])("%s(%s): %s, %s", (event, to, expected) => {
    const host = emit(event, [to], 18n);
    expect(host.calls).toEqual([{ address: expected, signature: "decimals()", args: [] }]);
    expect(host.all(`${event}Token`)).toMatchObject([{ decimals: 18 }]);
  });
});

test("overloads are chosen by signature or by the number of parameters", () => {
  const called = (event: string, value: unknown, answer: unknown) =>
    emit(event, [value], answer, overloads, a(2)).calls.map(({ signature, args }) => [signature, ...args]);
  expect(called("One", 1n, 5n)).toEqual([["get(uint256)", 1n]]);
  expect(called("Two", 1n, 5n)).toEqual([["get(uint256,uint256)", 1n, 1n]]);
  expect(called("Named", a(1), "x")).toEqual([["get(address)", a(1)]]);
});

test.each([
  "tryCall",
  "call",
  "bind",
])("a function may be called %s, as the methods of a contract class are", async (name) => {
  const batch = [
    "event Made(uint8[] kinds)",
    `function ${name}(uint8[]) view returns (uint256)`,
    "function take(uint8[]) view returns (uint256)",
  ];
  const result = (method: string) => ({ name: method, params: "event.params.kinds", required: true });
  const { host } = await buildScenario({
    abis: { Batch: batch },
    instances: [
      instance("Batch", a(1), {
        Made: {
          calls: { one: result(name), two: result("take") },
          entities: { Sum: { "sum uint256": "calls.one + calls.two" } },
        },
      }),
    ],
  });
  const opened = host();
  opened.contracts = ({ signature }) => [signature.startsWith("take") ? 1n : 2n];
  opened.emit(batch, a(1), "Made", [[5n]]);
  expect(opened.all("Sum")).toMatchObject([{ sum: 3n }]);
});
