import { expect, test } from "vitest";
import { parseDecimal } from "../../../src/runtime/numbers/big-decimal.js";
import { SQL } from "../../../src/store/database/database.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { listCodec, scalarCodecs } from "../../../src/store/tables/field-codecs.js";
import type { StoreValue } from "../../../src/subgraph/schema/entity.js";
import type { ValueKind } from "../../../src/subgraph/schema/entity-schema.js";
import { describeDatabases } from "../../support/database/databases.js";

/** A value and its form for each reader. */
interface Read {
  readonly value: StoreValue;
  readonly answered: unknown;
  readonly sent: unknown;
  readonly shown: string;
}

const everywhere = (value: StoreValue, text: string): Read => ({
  value,
  answered: text,
  sent: text,
  shown: text,
});

const cases: Readonly<Record<ValueKind, readonly Read[]>> = {
  String: ["", 'a "b" \\ c, {d}', "NULL", "é 💡\n"].map((value) =>
    everywhere({ kind: "String", value }, value),
  ),
  Bytes: ["0x", "0x00ff"].map((value) => everywhere({ kind: "Bytes", value }, value)),
  Int: [-2147483648, 7].map((value) => ({
    value: { kind: "Int" as const, value },
    answered: value,
    sent: value,
    shown: String(value),
  })),
  Int8: [-(2n ** 63n), 9007199254740993n].map((value) => everywhere({ kind: "Int8", value }, String(value))),
  BigInt: [-5n, 10n ** 90n].map((value) => everywhere({ kind: "BigInt", value }, String(value))),
  BigDecimal: ["-0.000001", "10", `1${"0".repeat(40)}`].map((text) =>
    everywhere({ kind: "BigDecimal", value: parseDecimal(text) }, text),
  ),
  Timestamp: [
    [1_700_000_000_000_001n, "2023-11-14 22:13:20.000001+00"],
    [-1n, "1969-12-31 23:59:59.999999+00"],
  ].map(([value, shown]) => ({
    value: { kind: "Timestamp", value: BigInt(value ?? 0) },
    answered: String(value),
    sent: String(value),
    shown: String(shown),
  })),
  Bool: [true, false].map((value) => ({
    value: { kind: "Bool" as const, value },
    answered: value,
    sent: value,
    shown: value ? "t" : "f",
  })),
};

describeDatabases("a value of the kind", ({ fresh }) => {
  test.each(
    Object.keys(cases) as ValueKind[],
  )("every reader gets a value of type %s as it was written", async (kind) => {
    const database = await fresh();
    const codec = scalarCodecs[kind];
    const list = listCodec(codec);
    const table = quoteName(kind);
    await database.run(SQL`create table ${table} (n integer, one ${codec.sqlType}, list ${codec.sqlType}[])`);
    const values: StoreValue = { kind: "Array", value: cases[kind].map(({ value }) => value) };
    for (const [n, { value }] of cases[kind].entries()) {
      await database.query(
        SQL`insert into ${table} values ($1::integer, $2::${codec.sqlType}, $3::${codec.sqlType}[])`,
        [String(n), codec.toSql(value), list.toSql(values)],
      );
    }
    const rows = await database.query(
      SQL`select one, list, to_jsonb(${codec.jsonSql(SQL`one`)}) as json, to_jsonb(${list.jsonSql(SQL`list`)}) as jsons
        from ${table} order by n`,
    );
    const read = rows.map(({ one, json }) => ({
      value: codec.fromSql(one ?? ""),
      answered: codec.answered(JSON.parse(json ?? "")),
      sent: codec.sent(one ?? ""),
      shown: codec.shown(one ?? ""),
    }));
    expect(read).toEqual(cases[kind]);
    expect(rows.map(({ one }) => codec.stored(codec.shown(one ?? "")))).toEqual(rows.map(({ one }) => one));
    const [{ list: text = "", jsons = "" } = {}] = rows;
    expect(list.fromSql(text ?? "")).toEqual(values);
    expect(list.answered(JSON.parse(jsons ?? ""))).toEqual(cases[kind].map(({ answered }) => answered));
    expect(list.sent(text ?? "")).toEqual(cases[kind].map(({ sent }) => sent));
    expect(list.shown(text ?? "")).toBe(cases[kind].map(({ shown }) => shown).join(", "));
  });

  test.each(
    Object.keys(cases) as ValueKind[],
  )("a missing value of type %s is null, and a value of another type is refused", (kind) => {
    const codec = scalarCodecs[kind];
    expect([codec.toSql(undefined), codec.toSql({ kind: "Null" }), codec.answered(null)]).toEqual([
      null,
      null,
      null,
    ]);
    const other: StoreValue = kind === "Bool" ? { kind: "Int", value: 1 } : { kind: "Bool", value: true };
    expect(() => codec.toSql(other)).toThrow(
      `a column of type ${kind} was given a value of type ${other.kind}`,
    );
    expect(() => listCodec(codec).toSql(other)).toThrow("a list column was given");
  });
});
