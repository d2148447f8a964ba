import { id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { type EventTypeRow, encoded, eventTypeRows } from "./event-type-rows.js";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";

const hash = id("anything");
const structs = [
  "event Order(tuple(address maker, tuple(uint8 kind, string note) terms, uint256[] ids, uint8[][] grid) order)",
  "event Batch(tuple(address to, uint8 kind, uint64 amount, bytes32 key, bool open, string note)[] items, uint256 x)",
  "event Nested(tuple(uint256 total, tuple(address to, uint256 amount)[] parts) payout)",
  "event Pairs(tuple(tuple(uint256 x, address y) left, int8 z)[2] pairs)",
  "event Bare(tuple(address, tuple(uint8, string)))",
  "event Unnamed(address indexed, uint256, uint256[] list)",
  "event Cube(address[][][] value)",
  "event Marked(tuple(uint256 x, uint256 y) indexed point)",
];
const abi = [...eventTypeRows.map(([solidity], i) => `event Case${i}(${solidity} value)`), ...structs];

let built: BuiltScenario;
beforeAll(async () => {
  built = await buildScenario({ abis: { Types: abi }, instances: [instance("Types", a(1))] });
});

/** The only entity that an event creates, without the base fields. */
async function stored(event: string, values: readonly unknown[]): Promise<Record<string, unknown>> {
  const played = built.play();
  await played.emit(abi, a(1), event, values);
  const base = ["id", "block_number", "timestamp_", "transactionHash_", "contractId_"];
  const fields = Object.entries(played.all(event)[0] ?? {}).filter(([name]) => !base.includes(name));
  return Object.fromEntries(fields);
}

describe("a parameter of type", () => {
  test.each(
    eventTypeRows.map((row, i) => [row[0], row[1], i] as const),
  )("%s holding %s", async (_, given, i) => {
    const [, , graphql, expected] = eventTypeRows[i] as EventTypeRow;
    expect(built.schema.typeOf(`Case${i}`, "value")).toBe(graphql);
    expect(await stored(`Case${i}`, [given])).toEqual({ value: expected });
  });
});

describe("a struct", () => {
  test("is flattened to any depth", async () => {
    const given = [a(1), [3n, "note"], [1n, 2n], [[1n], [2n]]];
    expect(await stored("Order", [given])).toEqual({
      order_maker: a(1),
      order_terms_kind: 3,
      order_terms_note: "note",
      order_ids: [1n, 2n],
      order_grid: encoded("uint8[][]", [[1n], [2n]]),
    });
  });

  test("of scalars in a list becomes one list per component", async () => {
    const items = [
      [a(1), 1n, 10n, hash, true, "one"],
      [a(2), 255n, 20n, id("b"), false, ""],
    ];
    expect(await stored("Batch", [items, 5n])).toEqual({
      items_to: [a(1), a(2)],
      items_kind: [1, 255],
      items_amount: [10n, 20n],
      items_key: [hash, id("b")],
      items_open: [true, false],
      items_note: ["one", ""],
      x: 5n,
    });
    expect(await stored("Batch", [[], 5n])).toMatchObject({ items_to: [], items_note: [], items_open: [] });
    expect(built.schema.typeOf("Batch", "items_kind")).toBe("[Int!]!");
  });

  test("that holds a list of structs is flattened, and the list becomes columns", async () => {
    expect(
      await stored("Nested", [
        [
          9n,
          [
            [a(1), 4n],
            [a(2), 5n],
          ],
        ],
      ]),
    ).toEqual({
      payout_total: 9n,
      payout_parts_to: [a(1), a(2)],
      payout_parts_amount: [4n, 5n],
    });
  });

  test("of structs in a fixed list becomes columns of the innermost components", async () => {
    expect(
      await stored("Pairs", [
        [
          [[1n, a(1)], -1n],
          [[2n, a(2)], 127n],
        ],
      ]),
    ).toEqual({
      pairs_left_x: [1n, 2n],
      pairs_left_y: [a(1), a(2)],
      pairs_z: [-1, 127],
    });
  });

  test("without component names is named by position", async () => {
    expect(await stored("Bare", [[a(1), [2n, "x"]]])).toEqual({
      param0_value0: a(1),
      param0_value1_value0: 2,
      param0_value1_value1: "x",
    });
  });

  test("that is indexed makes graph-node skip the event, with a warning", () => {
    expect(built.said.join("\n")).toMatch(/Marked/);
    expect(() => built.play().all("Marked")).toThrow("no entity type");
  });
});

test("the compiler skips an event with a three-dimensional list and warns, because graph-cli's bindings stop at two", () => {
  expect(built.said).toContainEqual(
    expect.stringMatching(/^event-skipped: .*Cube.*more than two dimensions/),
  );
  expect(() => built.play().all("Cube")).toThrow("no entity type");
});

test("parameters without names are numbered by position", async () => {
  expect(await stored("Unnamed", [a(1), 2n, [3n]])).toEqual({ param0: a(1), param1: 2n, list: [3n] });
});
