import fc from "fast-check";
import { expect, it } from "vitest";
import { sumOfRows } from "../../../src/pipelines/changes/row-hash.js";
import type { Rows, RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn, ValueType } from "../../../src/pipelines/changes/schema.js";
import { testFolder } from "../../support/folder.js";
import { openEngine } from "../../support/pipelines/law-pipeline.js";
import { storedRows } from "../../support/pipelines/stored-rows.js";

/** Values of each type, with those that texts and numbers are mistaken for. */
const values: Readonly<Record<ValueType, fc.Arbitrary<RowValue>>> = {
  STRING: fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "binary" }),
    fc.constantFrom("", "-", "s1:a", "\0", "'", '"', "\\", "ß\u0301", "\u{1f600}"),
  ),
  JSON: fc.json(),
  LONG: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  DOUBLE: fc.oneof(
    fc.double(),
    fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.MIN_VALUE, 1e21, 1 + 2 ** -17),
  ),
  DECIMAL: fc.bigInt({ min: -(2n ** 255n), max: 2n ** 256n - 1n }).map(String),
  NUMERIC: fc.tuple(fc.bigInt(), fc.nat()).map(([whole, fraction]) => `${whole}.${fraction}`),
  BOOLEAN: fc.boolean(),
  TIMESTAMP: fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }),
  "ARRAY<STRING>": fc.array(fc.string({ unit: "grapheme" })),
};

const columns = Object.keys(values).map(
  (type): RowColumn => ({ name: `a "${type}"`, type: type as ValueType, nullable: true }),
);

const row = fc.tuple(
  ...columns.map(({ type }) => fc.option(values[type], { freq: 8, nil: null })),
) as unknown as fc.Arbitrary<readonly RowValue[]>;

it("the ledger sums rows of all types as DuckDB does", async () => {
  const engine = await openEngine();
  const folder = testFolder();
  await engine.createTable("given", columns);
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 100 }), async (list) => {
        const rows: Rows = {
          count: list.length,
          columns: columns.map((_, column) => list.map((one) => one[column] ?? null)),
        };
        const stored = await storedRows(engine, folder, { name: "given", columns }, rows);
        expect(await stored.facts()).toMatchObject({ count: rows.count, sum: sumOfRows(rows) });
        await stored.drop();
      }),
      { numRuns: 60 },
    );
  } finally {
    engine.close();
  }
});
