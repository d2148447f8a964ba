import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Changes, netChanges } from "../../../src/pipelines/changes/net-changes.js";
import type { Rows, RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowSchema } from "../../../src/pipelines/changes/schema.js";

const schema: RowSchema = {
  columns: [
    { name: "id", type: "STRING", nullable: false },
    { name: "amount", type: "LONG", nullable: true },
  ],
  key: ["id"],
};

type Pair = readonly [id: string, amount: bigint];

function rowsOf(pairs: readonly Pair[]): Rows {
  return { count: pairs.length, columns: [pairs.map(([id]) => id), pairs.map(([, amount]) => amount)] };
}

function listed({ operations, rows }: Changes): readonly (readonly RowValue[])[] {
  return operations.map((operation, row) => [
    operation,
    ...rows.columns.map((column) => column[row] as RowValue),
  ]);
}

function netOf(minus: readonly Pair[], plus: readonly Pair[], of = schema): Changes {
  return netChanges({ minus: rowsOf(minus), plus: rowsOf(plus) }, of);
}

describe("the net changes of a delta", () => {
  it("inserts, updates and deletes by key", () => {
    const changes = netOf(
      [
        ["a", 1n],
        ["b", 1n],
      ],
      [
        ["b", 2n],
        ["c", 3n],
      ],
    );
    expect(listed(changes)).toEqual([
      ["d", "a", 1n],
      ["u", "b", 2n],
      ["i", "c", 3n],
    ]);
    expect(changes.replaced).toEqual(rowsOf([["b", 1n]]));
  });

  it("leaves out a row that is added and removed", () => {
    expect(listed(netOf([["a", 1n]], [["a", 1n]]))).toEqual([]);
  });

  it("deletes a row that is updated and then deleted", () => {
    expect(
      listed(
        netOf(
          [
            ["a", 1n],
            ["a", 2n],
          ],
          [["a", 2n]],
        ),
      ),
    ).toEqual([["d", "a", 1n]]);
  });

  it("counts rows that a later row with the same key replaces", () => {
    const changes = netOf(
      [],
      [
        ["a", 1n],
        ["a", 2n],
      ],
    );
    expect(listed(changes)).toEqual([["i", "a", 2n]]);
    expect(changes.overwritten).toBe(1);
  });

  it("cancels equal rows one by one if there is no key", () => {
    const changes = netOf(
      [["a", 1n]],
      [
        ["a", 1n],
        ["a", 1n],
      ],
      { ...schema, key: [] },
    );
    expect(listed(changes)).toEqual([["i", "a", 1n]]);
  });

  it("distinguishes values that print the same text", () => {
    const texts: RowSchema = { columns: [{ name: "x", type: "STRING", nullable: true }], key: [] };
    const one = (value: RowValue): Rows => ({ count: 1, columns: [[value]] });
    for (const [minus, plus] of [
      ["-", null],
      ["1", 1n],
      ["t", true],
      ["a1[s1:x]", ["x"]],
    ] as const)
      expect(netChanges({ minus: one(minus), plus: one(plus) }, texts).operations).toEqual(["d", "i"]);
  });

  it("turns the rows before into the rows after, for any changes in between", () => {
    const id = fc.constantFrom("a", "b", "c");
    const step = fc.tuple(id, fc.option(fc.bigInt(0n, 2n), { nil: undefined }));
    fc.assert(
      fc.property(fc.array(step), fc.array(step), (earlier, steps) => {
        const table = new Map<string, bigint>();
        const play = (list: typeof steps): { minus: Pair[]; plus: Pair[] } => {
          const minus: Pair[] = [];
          const plus: Pair[] = [];
          for (const [key, amount] of list) {
            const old = table.get(key);
            if (old !== undefined) minus.push([key, old]);
            if (amount === undefined) table.delete(key);
            else {
              plus.push([key, amount]);
              table.set(key, amount);
            }
          }
          return { minus, plus };
        };
        play(earlier);
        const sink = new Map(table);
        const { minus, plus } = play(steps);
        for (const [operation, key, amount] of listed(netOf(minus, plus))) {
          expect(sink.has(key as string)).toBe(operation !== "i");
          if (operation === "d") sink.delete(key as string);
          else sink.set(key as string, amount as bigint);
        }
        expect(sink).toEqual(table);
      }),
    );
  });
});
