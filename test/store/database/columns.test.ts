import { describe, expect, expectTypeOf, it } from "vitest";
import { InternalError } from "../../../src/base/invariant.js";
import {
  bigInteger,
  boolean,
  bytes,
  type Column,
  cell,
  columns,
  computed,
  integer,
  nullable,
  oneOf,
  optional,
  type RowOf,
  text,
  texts,
  time,
} from "../../../src/store/database/columns.js";
import { SQL } from "../../../src/store/database/database.js";

const webhooks = columns({
  id: text,
  retryInterval: integer,
  isPaused: boolean,
  note: nullable(text),
  restsUntil: optional(time),
  failures: computed(SQL`count(*)`, integer),
});

const row = {
  id: "hook_1",
  retry_interval: "60",
  is_paused: "t",
  note: "of Ann's",
  rests_until: "2026-01-02 03:04:05.678+00",
  failures: "3",
};

describe("a select list", () => {
  it("a select list names columns in snake case and expressions by their keys", () => {
    expect(webhooks.list).toBe(
      `"id", "retry_interval", "is_paused", "note", "rests_until", count(*) as "failures"`,
    );
  });

  it("a select list puts the table alias before the table's own columns only", () => {
    expect(columns({ id: text, isOld: computed(SQL`h.at < now()`, boolean) }, "w").list).toBe(
      `"w"."id", h.at < now() as "is_old"`,
    );
  });
});

describe("a row", () => {
  it("reads a row into values by key", () => {
    expect([row, { ...row, id: "hook_2" }].map(webhooks.read)).toEqual([
      {
        id: "hook_1",
        retryInterval: 60,
        isPaused: true,
        note: "of Ann's",
        restsUntil: new Date("2026-01-02T03:04:05.678Z"),
        failures: 3,
      },
      expect.objectContaining({ id: "hook_2" }),
    ]);
  });

  it("keeps the null of a nullable column and omits the null of an optional column", () => {
    const found = webhooks.read({ ...row, note: null, rests_until: null });
    expect(found.note).toBeNull();
    expect(Object.keys(found)).toEqual(["id", "retryInterval", "isPaused", "note", "failures"]);
  });

  it("types a row by its columns", () => {
    expectTypeOf<RowOf<typeof webhooks>>().branded.toEqualTypeOf<{
      readonly id: string;
      readonly retryInterval: number;
      readonly isPaused: boolean;
      readonly note: string | null;
      readonly restsUntil?: Date;
      readonly failures: number;
    }>();
  });

  it("refuses a row that lacks a column, even a nullable one", () => {
    const { note, ...rest } = row;
    expect(note).toBeDefined();
    expect(() => webhooks.read(rest)).toThrow(new InternalError("a row lacks the column note"));
  });

  it("refuses a row with null in a column that is not nullable", () => {
    expect(() => webhooks.read({ ...row, retry_interval: null })).toThrow(
      new InternalError("the column retry_interval is null in a row"),
    );
  });
});

const kinds = {
  integer: [integer, "9007199254740991", Number.MAX_SAFE_INTEGER],
  bigInteger: [bigInteger, "-9223372036854775808", -(2n ** 63n)],
  boolean: [boolean, "f", false],
  time: [time, "2026-01-02 03:04:05.678901+00", new Date("2026-01-02T03:04:05.678Z")],
  bytes: [bytes, "\\x00ff", Buffer.from([0, 255])],
  texts: [texts, '{a,"b,c"}', ["a", "b,c"]],
  oneOf: [oneOf(["rpc", "data"]), "data", "data"],
} as const;

describe("a value", () => {
  it.each(Object.entries(kinds))("reads a value of the kind %s", (_, [value, given, read]) => {
    expect(columns({ value }).read({ value: given })).toEqual({ value: read });
  });

  it.each<[Column<unknown>, string]>([
    [integer, "1.5"],
    [integer, ""],
    [integer, "9007199254740992"],
    [bigInteger, "0x10"],
    [boolean, "true"],
    [bytes, "00ff"],
    [oneOf(["rpc", "data"]), "grpc"],
  ])("refuses a value of the wrong kind: %o for %j", (value, given) => {
    const refusal = new InternalError("the column value holds a value of the wrong type in a row");
    expect(() => columns({ value }).read({ value: given })).toThrow(refusal);
    expect(() => columns({ value: nullable(value) }).read({ value: given })).toThrow(refusal);
  });

  it.each([
    "2026-01-02 03:04:05+02",
    "infinity",
  ])("refuses a value that is not a time in UTC: %s", (given) => {
    expect(() => columns({ value: time }).read({ value: given })).toThrow(RangeError);
  });
});

describe("a cell", () => {
  it("reads a cell only if it is a string", () => {
    expect(cell({ id: "hook_1" }, "id")).toBe("hook_1");
    expect(() => cell({ id: "hook_1" }, "name")).toThrow(new InternalError("a row lacks the column name"));
    expect(() => cell({ id: null }, "id")).toThrow(new InternalError("the column id is null in a row"));
  });
});
