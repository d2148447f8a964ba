import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { normalized } from "../../../src/runtime/numbers/big-decimal.js";
import { readBack } from "../../../src/runtime/store/read-back.js";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import type { EntityChange, StoreValue } from "../../../src/subgraph/schema/entity.js";
import { block } from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/database/databases.js";
import { propertyRun } from "../../support/property/property-run.js";
import { reopenStore } from "./make-store.js";

/** A field of every kind, as a single value and as a list. */
const kinds = ["String", "Bytes", "Int", "Int8", "BigInt", "BigDecimal", "Boolean", "Timestamp"];
const fields = kinds.flatMap((kind) => [`a${kind}: ${kind}`, `l${kind}: [${kind}!]`]);
const schema = `enum Side { buy SELL _x }
  type Value @entity { id: Bytes!, side: Side, sides: [Side!], ${fields.join(", ")} }`;

const anyText = fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replaceAll("\0", ""));
const anyHex = fc.uint8Array({ maxLength: 40 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
const items: Readonly<Record<string, fc.Arbitrary<StoreValue>>> = {
  String: anyText.map((value) => ({ kind: "String", value })),
  Bytes: anyHex.map((value) => ({ kind: "Bytes", value })),
  Int: fc.integer().map((value) => ({ kind: "Int", value })),
  Int8: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((value) => ({ kind: "Int8", value })),
  BigInt: fc.bigInt(-(2n ** 300n), 2n ** 300n).map((value) => ({ kind: "BigInt", value })),
  BigDecimal: fc
    .tuple(fc.bigInt(-(10n ** 36n), 10n ** 36n), fc.integer({ min: -6143, max: 6100 }))
    .map(([digits, exponent]) => ({ kind: "BigDecimal", value: normalized(digits, exponent) })),
  Boolean: fc.boolean().map((value) => ({ kind: "Bool", value })),
  // The range of the database: from 4713 BC to 294276 AD.
  Timestamp: fc
    .bigInt(-210_800_000_000_000_000n, 9_224_318_015_999_999_999n)
    .map((value) => ({ kind: "Timestamp", value })),
};
const side: fc.Arbitrary<StoreValue> = fc
  .constantFrom("buy", "SELL", "_x")
  .map((value) => ({ kind: "String", value }));

const listOf = (item: fc.Arbitrary<StoreValue>): fc.Arbitrary<StoreValue> =>
  fc.array(item, { maxLength: 4 }).map((value) => ({ kind: "Array", value }));
const anyFields = fc.record(
  {
    side,
    sides: listOf(side),
    ...Object.fromEntries(
      Object.entries(items).flatMap(([kind, item]) => [
        [`a${kind}`, item],
        [`l${kind}`, listOf(item)],
      ]),
    ),
  },
  { requiredKeys: [] },
);
const anyChanges = fc
  .uniqueArray(fc.tuple(anyHex, anyFields), { maxLength: 40, selector: ([id]) => id })
  .map((all) =>
    all.map(([id, values]): EntityChange => {
      const entity = new Map<string, StoreValue>(Object.entries(values)).set("id", {
        kind: "Bytes",
        value: id,
      });
      return { kind: "set", type: "Value", id, entity: readBack(entity) };
    }),
  );

describeDatabases("values", ({ fresh }) => {
  let database: Database;
  beforeAll(async () => {
    database = await fresh();
    await migrate(database);
  });

  test("INV-S4: the store reads values of every kind as a store in memory does", async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(anyChanges, async (changes) => {
        const store = await reopenStore(database, schema, "QmValues");
        await store.commit(block(++number), { changes, dataSources: [] });
        const again = await reopenStore(database, schema, "QmValues");
        const found = await again.getMany?.(
          "Value",
          changes.map(({ id }) => id),
        );
        for (const change of changes) {
          if (change.kind === "set") expect(found?.get(change.id)).toEqual(change.entity);
        }
      }),
      propertyRun(25),
    );
  });
});
