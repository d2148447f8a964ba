import { expect, it } from "vitest";
import { joinFragments, SQL } from "../../../src/store/database/database.js";
import { quoteName, quoteNames, quoteText } from "../../../src/store/database/quote.js";

it("the tag SQL returns the text of a template without parts", () => {
  expect(SQL`select 1`).toBe("select 1");
});

it("the tag SQL accepts quoted names, quoted strings, fragments, lists of them and counts", () => {
  const columns = ["id", 'a"b'].map(quoteName);
  const where = SQL`name = ${quoteText("it's")} and n < $${1}::integer`;
  expect(SQL`select ${columns} from ${quoteNames("sgd1", "t")} where ${where} limit ${10}`).toBe(
    `select "id", "a""b" from "sgd1"."t" where name = 'it''s' and n < $1::integer limit 10`,
  );
  expect(joinFragments(columns, SQL` and `)).toBe('"id" and "a""b"');
  expect(joinFragments([], SQL` and `)).toBe("");
});

it.each([
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
])("the tag SQL refuses the number %d", (number) => {
  expect(() => SQL`select ${number}`).toThrow(
    new RangeError(`${number} is not a count that SQL can contain`),
  );
});

it("the tag SQL does not type-check with plain strings", () => {
  const text: string = "x; drop table y";
  // @ts-expect-error a string is not SQL
  expect(SQL`select ${text}`).toBe("select x; drop table y");
  // @ts-expect-error a list of strings is not SQL
  expect(SQL`select ${[text]}`).toBe("select x; drop table y");
  // @ts-expect-error a template without the tag is not SQL
  expect(joinFragments([`select ${quoteName("a")}`], SQL` `)).toBe('select "a"');
});
