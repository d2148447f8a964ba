import { beforeAll, expect, test } from "vitest";
import { createQueryEngine, type QueryEngine } from "../../src/query/engine.js";
import { SQL } from "../../src/store/database/database.js";
import { quoteName } from "../../src/store/database/quote.js";
import { createTables } from "../../src/store/tables/create-tables.js";
import { layOut } from "../../src/store/tables/lay-out.js";
import { readEntitySchema } from "../../src/subgraph/schema/read-entity-schema.js";
import { describeDatabases, world } from "../support/database/databases.js";

/** For each scalar, values in the database's form and as clients get them. */
const values: readonly (readonly [scalar: string, stored: readonly string[], given: readonly unknown[]])[] = [
  ["String", ['a "quoted" \\ text', "NULL", "é 💡\n\t", ""], ['a "quoted" \\ text', "NULL", "é 💡\n\t", ""]],
  ["ID", ["\\x01"], ["\\x01"]],
  ["Bytes", ["\\x", "\\x00ff"], ["0x", "0x00ff"]],
  ["BigInt", ["-5", "1".repeat(100)], ["-5", "1".repeat(100)]],
  [
    "BigDecimal",
    ["10.00", "-0.000001", "0.0", `1${"0".repeat(40)}`],
    ["10", "-0.000001", "0", `1${"0".repeat(40)}`],
  ],
  ["Int", ["-2147483648", "7"], [-2147483648, 7]],
  ["Int8", ["9007199254740993", "-9223372036854775808"], ["9007199254740993", "-9223372036854775808"]],
  [
    "Timestamp",
    [
      "1970-01-01 00:00:01+00",
      "2023-11-14 22:13:20.000001+00",
      "1969-12-31 23:59:59.999999+00",
      "9999-01-01 00:00:00+00",
    ],
    ["1000000", "1700000000000001", "-1", "253370764800000000"],
  ],
  ["Boolean", ["t", "f"], [true, false]],
  ["Kind", ["B", "A"], ["B", "A"]],
];

const fields = values.map(([name]) => `one${name}: ${name}, list${name}: [${name}!]`).join("\n");
const schema = `enum Kind { A B } type Every @entity { id: ID! ${fields} }`;

describeDatabases("values", ({ fresh }) => {
  let engine: QueryEngine;

  beforeAll(async () => {
    const database = await fresh();
    const layout = layOut(readEntitySchema(schema), "sgd1");
    const [table] = layout.tables;
    await database.run(SQL`create extension if not exists btree_gist`);
    await database.run(createTables(layout));
    const typeOf = (field: string) => table?.columns.find((column) => column.field === field);
    for (const [index, [scalar, stored]] of values.entries()) {
      const one = typeOf(`one${scalar}`);
      const list = typeOf(`list${scalar}`);
      const items = stored.map((item) => `"${item.replace(/["\\]/g, "\\$&")}"`);
      await database.query(
        SQL`insert into sgd1.every (vid, block_range, id, ${quoteName(one?.name ?? "")}, ${quoteName(list?.name ?? "")})
          values ($1::bigint, '[1,)', $2::text, $3::${one?.sqlType ?? SQL``}, $4::${list?.sqlType ?? SQL``}[])`,
        [String(index), scalar, stored[0] ?? null, `{${items.join(",")}}`],
      );
    }
    await database.query(
      SQL`insert into sgd1.every (vid, block_range, id, list_string) values (100, '[1,)', 'none', '{}')`,
    );
    const state = async () => ({ head: { number: 10, hash: "0x10" }, earliestBlock: 0 });
    const deployment = { id: "QmValues", schema, layout, state, blockOfHash: async () => undefined };
    engine = createQueryEngine({ database, deployment, world });
  });

  test.each(values)("the engine returns values of type %s as they were stored", async (scalar, _, given) => {
    const query = `{ every(id: "${scalar}") { one${scalar} list${scalar} } }`;
    const { data, errors } = await engine.execute({ query });
    expect(errors).toBeUndefined();
    expect(JSON.parse(JSON.stringify(data))).toEqual({
      every: { [`one${scalar}`]: given[0], [`list${scalar}`]: given },
    });
  });

  test.each(
    values.filter(([scalar]) => scalar !== "Kind"),
  )("the engine finds values of type %s by equality", async (scalar, _, given) => {
    const query = `query q($one: ${scalar}, $list: [${scalar}!]) {
      one: everies(where: { one${scalar}: $one }) { id }
      in: everies(where: { one${scalar}_in: $list }) { id }
      list: everies(where: { list${scalar}: $list }) { id }
      some: everies(where: { list${scalar}_contains: $list }) { id }
    }`;
    // Times before 1970 can be stored, but not queried with fractions of seconds.
    const asked = given.filter((value) => value !== "-1");
    const variables = { one: given[0], list: asked };
    const { data, errors } = await engine.execute({ query, variables });
    expect(errors).toBeUndefined();
    const found = [{ id: scalar }];
    expect(data).toEqual({
      one: found,
      in: found,
      list: asked.length === given.length ? found : [],
      some: found,
    });
  });

  test("the engine returns null for missing values and an empty list for an empty list", async () => {
    const { data } = await engine.execute({ query: '{ every(id: "none") { oneInt listInt listString } }' });
    expect(data).toEqual({ every: { oneInt: null, listInt: null, listString: [] } });
  });
});
