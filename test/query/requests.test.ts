import { describe, expect, test } from "vitest";
import { musicSchema } from "./music.js";
import { messages, recordingEngine } from "./recording.js";

const recording = recordingEngine(musicSchema);

describe("a request that is not GraphQL", () => {
  test.each([
    [
      "<L<G<>M>",
      1,
      "Unexpected unexpected character '<'\nUnexpected end of input\nExpected {, query, mutation, subscription or fragment",
    ],
    ["", 1, "Unexpected end of input\nExpected {, query, mutation, subscription or fragment"],
    ["bands", 1, "Unexpected `bands[Name]`\nExpected {, query, mutation, subscription or fragment"],
    ["{ bands { } }", 11, "Unexpected `}[Punctuator]`\nExpected Name"],
    [
      "{ bands(first: 9223372036854775808) { id } }",
      16,
      "Unexpected `9223372036854775808[IntValue]`\nnumber too large to fit in target type",
    ],
    [`${"{a".repeat(51)}`, 101, "Recursion limit exceeded"],
  ])("reports the syntax error in: %s", async (query, column, message) => {
    const { errors, data, head, attestable } = await recording.engine.execute({ query });
    expect({ errors, data, head, attestable }).toEqual({
      errors: [{ locations: [{ line: 1, column }], message }],
      attestable: true,
    });
  });
});

/** The error for an argument's value, or nothing if the value is accepted. */
async function refusal(type: string, value: unknown): Promise<string | undefined> {
  const [message] = await messages(recording, `query q($v: ${type}) { bands { id } }`, { v: value });
  return message?.replace("Invalid value provided for argument `v`: ", "");
}

describe("values by their types", () => {
  test.each<[type: string, taken: readonly unknown[], refused: readonly (readonly [unknown, string])[]]>([
    [
      "ID",
      ["a", 5],
      [
        [1.5, "Float(1.5)"],
        [true, "Boolean(true)"],
      ],
    ],
    ["String", ["a"], [[5, "Int(Number(5))"]]],
    ["Bytes", ["0x", "zz"], [[5, "Int(Number(5))"]]],
    ["BigInt", ["a", 5], [[1e20, "Float(1e20)"]]],
    ["BigDecimal", ["a", 5, 0.5], [[false, "Boolean(false)"]]],
    ["Int8", ["a", 5], [[0.00001, "Float(1e-5)"]]],
    [
      "Int",
      [2147483647, -2147483648],
      [
        [2147483648, "Int(Number(2147483648))"],
        ["5", 'String("5")'],
      ],
    ],
    [
      "Timestamp",
      ["5", "+5", "-1000000"],
      [
        ["-5", 'String("-5")'],
        ["a", 'String("a")'],
        [5, "Int(Number(5))"],
      ],
    ],
    ["Boolean", [true], [["true", 'String("true")']]],
    [
      "Genre",
      ["ROCK"],
      [
        ["Rock", 'String("Rock")'],
        ["__proto__", 'String("__proto__")'],
      ],
    ],
    [
      "[Int!]",
      [[1, 2], []],
      [
        [1, "Int(Number(1))"],
        [[1, "2"], 'String("2")'],
        [[null], "Null"],
      ],
    ],
    [
      "Musician_filter",
      [{ name: "a", and: [null, {}] }, {}],
      [
        [{ name: 1, age: 2 }, 'Object({"age": Int(Number(2)), "name": Int(Number(1))})'],
        [{ 'a\n"': [] }, 'Object({"a\\n\\"": List([])})'],
        [{ or: [{ nope: null }] }, 'Object({"or": List([Object({"nope": Null})])})'],
      ],
    ],
    ["BlockChangedFilter", [{}], [[{ number_gte: null }, 'Object({"number_gte": Null})']]],
  ])("accepts and refuses graph-node's values for %s", async (type, taken, refused) => {
    for (const value of [...taken, null]) expect(await refusal(type, value), String(value)).toBeUndefined();
    for (const [value, text] of refused) expect(await refusal(type, value)).toBe(text);
  });

  test("keeps the digits of a number that JSON cannot represent exactly", async () => {
    const { sent } = recording;
    const query = "query q($v: BigInt) { musicians(where: { fans: $v }) { id } }";
    await messages(recording, query, { v: 1234567890123456800 });
    expect(sent.at(-1)?.parameters).toContain("1234567890123456800");
  });
});

describe("variables", () => {
  test.each([
    ["query q($x: Int!) { bands(first: $x) { id } }", {}, "No value provided for required variable `x`"],
    ["query q($x: Int!) { bands { id } }", { x: null }, "Invalid value provided for argument `x`: Null"],
    ["query q($x: Band) { bands { id } }", {}, "Variable `x` must have an input type"],
    ["query q($x: [Nope!]) { bands { id } }", {}, "Variable `x` must have an input type"],
    ['query q($x: Int = "5") { bands { id } }', {}, 'Invalid value provided for argument `x`: String("5")'],
    ["mutation q($x: Int!) { bands { id } }", {}, "No value provided for required variable `x`"],
    ["mutation q($x: Int) { bands { id } }", {}, "Not supported: Mutations are not supported"],
  ])("checks the variables of %s with %j", async (query, variables, message) => {
    expect(await messages(recording, query, variables)).toEqual([message]);
  });

  test("reports every invalid variable", async () => {
    const query = "query q($x: Int!, $y: Nope) { bands { id } }";
    expect(await messages(recording, query)).toHaveLength(2);
  });
});

describe("limits of requests", () => {
  const bands = (count: number, field: (index: number) => string): string =>
    `{ bands { ${Array.from({ length: count }, (_, index) => field(index)).join(" ")} } }`;
  const chain = (count: number, next: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => {
      const inside = index + 1 < count ? next(index + 1) : "id";
      return `fragment F${index} on Band { leader { mainBand { ${inside} } } }`;
    }).join(" ");

  test.each([
    [
      "deep nesting",
      `{ bands { ...F0 } } ${chain(100, (index) => `...F${index}`)}`,
      "query has a depth that exceeds the limit of `255`",
    ],
    [
      "fragments that double the query",
      `{ bands { ...F0 } } ${chain(40, (index) => `...F${index} x: leader { mainBand { ...F${index} } }`)}`,
      "the query asks for more than 20000 fields and values; split it into several queries",
    ],
    [
      "many fields",
      bands(20_001, (index) => `a${index}: id`),
      "the query asks for more than 20000 fields and values; split it into several queries",
    ],
    [
      "many joins",
      bands(301, (index) => `a${index}: leader { id }`),
      "`bands` reads more than 300 lists and references; split it into several queries",
    ],
    [
      "many lists",
      `{ ${Array.from({ length: 1001 }, (_, index) => `a${index}: bands { id }`).join(" ")} }`,
      "the query reads more than 1000 lists and references; split it into several queries",
    ],
    [
      "nested interfaces",
      `{ releases { ${"songs(first: 2) { releases(first: 2) { ".repeat(22)} id ${"} }".repeat(22)} } }`,
      "`releases` reads more than 300 lists and references; split it into several queries",
    ],
    [
      "nested interfaces in two fragments",
      `{ releases { ...A ...B } } ${["A", "B"]
        .map(
          (name) =>
            `fragment ${name} on Release { ${"songs(first: 1) { releases(first: 1) { ".repeat(20)} id ${"} }".repeat(20)} }`,
        )
        .join(" ")}`,
      "the query asks for more than 20000 fields and values; split it into several queries",
    ],
    [
      "many tokens",
      `{ bands(first: 1, x: [${"1 ".repeat(100_000)}]) { id } }`,
      "the query has more than 100000 tokens; split it into several queries",
    ],
    [
      "a fragment cycle",
      "{ bands { ...A } } fragment A on Band { ...B } fragment B on Band { leader { mainBand { ...A } } }",
      "query has fragment cycle including `A`",
    ],
  ])("limits queries: %s", async (_, query, message) => {
    recording.sent.length = 0;
    expect(await messages(recording, query)).toEqual([message]);
    expect(recording.sent).toEqual([]);
  });

  test("limits values inside variables", async () => {
    let deep: unknown = {};
    for (let depth = 0; depth < 60; depth++) deep = { and: [deep] };
    const query = "query q($w: Musician_filter) { musicians(where: $w) { id } }";
    expect(await messages(recording, query, { w: deep })).toEqual(["the variables are nested too deeply"]);
    const wide = { name_in: Array.from({ length: 20_001 }, () => "a") };
    expect(await messages(recording, query, { w: wide })).toEqual([
      "the query asks for more than 20000 fields and values; split it into several queries",
    ]);
  });

  test("limits repeated use of a variable", async () => {
    const fields = Array.from(
      { length: 100 },
      (_, index) => `a${index}: musicians(where: { name_in: $n }) { id }`,
    );
    const query = `query q($n: [String!]) { ${fields.join(" ")} }`;
    const names = Array.from({ length: 1000 }, () => "a");
    expect(await messages(recording, query, { n: names.slice(0, 100) })).toEqual([]);
    expect(await messages(recording, query, { n: names })).toEqual([
      "the query asks for more than 20000 fields and values; split it into several queries",
    ]);
  });

  test("limits the number of values that a statement can compare", async () => {
    const types = ["A", "B", "C", "D"].map((name) => `type ${name} implements I @entity { id: ID! n: Int }`);
    const schema = `interface I { id: ID! n: Int } ${types.join(" ")}`;
    const or = Array.from({ length: 6_600 }, (_, n) => ({ n, n_not: n, n_gt: n }));
    const query = "query q($w: I_filter) { is(where: $w) { id } }";
    expect(await messages(recordingEngine(schema, { breadth: 100_000 }), query, { w: { or } })).toEqual([
      "the filters contain more than 65535 values; use `in` for lists of values",
    ]);
  });

  test("accepts conditions that nest two at a time", async () => {
    const where = `${"{ and: [".repeat(20)}{ age: 1 }${"], or: [{ age: 2 }] }".repeat(20)}`;
    expect(await messages(recording, `{ musicians(where: ${where}) { id } }`)).toEqual([]);
    const { statement = "", parameters = [] } = recording.sent.at(-1) ?? {};
    expect([statement.length < 2000, parameters.length]).toEqual([true, 22]);
  });

  const overflow =
    "query potentially returns `18446744073709551615` entities or more and thereby exceeds the limit of `0` entities. " +
    "Possible solutions are reducing the depth of the query, querying fewer relationships or using `first` to " +
    "return smaller collections";
  const range = "The `first` argument must be between 0 and 1000, but is -1";
  const order = "Ordering by `members` is not supported for type `Band`";
  test.each([
    ["a list that asks for -1", "{ bands(first: -1) { id } }", range],
    ["another list beside it", "{ bands(first: -1) { id } musicians { id } }", overflow],
    ["a list inside of a list", "{ bands(first: 1) { members(first: -1) { id } } }", overflow],
    [
      "a list inside of a reference",
      '{ band(id: "b") { leader { bands(first: -1) { members { id } } } } }',
      overflow,
    ],
    ["an unknown field without fields", "{ bands(first: 1) { members(first: -1) { id } nope } }", overflow],
    [
      "an unknown field with fields",
      "{ bands(first: 1) { members(first: -1) { id } nope { id } } }",
      "Type `Band` has no field `nope`",
    ],
    ["an order", "{ bands(first: -1, orderBy: members, where: { id_gt: null }) { id } }", order],
  ])("reports the same first mistake as graph-node: %s", async (_, query, message) => {
    expect(await messages(recording, query)).toEqual([message]);
  });

  test("limits the possible number of entities if configured", async () => {
    const limited = recordingEngine(musicSchema, { complexity: 1_010_000 });
    expect(await messages(limited, "{ bands(first: 1000) { members(first: 1000) { id } } }")).toEqual([]);
    expect(await messages(limited, "{ bands(first: 1000) { members { bands { id } } } }")).toEqual([
      "query potentially returns `10101000` entities or more and thereby exceeds the limit of `1010000` entities. " +
        "Possible solutions are reducing the depth of the query, querying fewer relationships or using `first` to " +
        "return smaller collections",
    ]);
  });

  test.each([
    [
      "aliases with the default size",
      Array.from({ length: 501 }, (_, n) => `a${n}: bands { id }`).join(" "),
      50_100,
    ],
    [
      "full lists",
      Array.from({ length: 51 }, (_, n) => `a${n}: bands(first: 1000) { id }`).join(" "),
      51_000,
    ],
  ])("limits the entities of all lists together: %s", async (_, fields, asked) => {
    expect(await messages(recording, `{ ${fields} }`)).toEqual([
      `the lists of the query ask for ${asked} entities, and may ask for 50000 together; use a smaller \`first\`, or split it into several queries`,
    ]);
    expect(await messages(recording, `{ ${fields.replace(/^a0: \S+( \S+)? \{ id \} /, "")} }`)).toEqual([]);
  });

  test("counts the sizes in variables, and allows nested lists of the same length as graph-node", async () => {
    const lists = Array.from({ length: 51 }, (_, n) => `a${n}: bands(first: $n) { id }`).join(" ");
    expect(await messages(recording, `query ($n: Int) { ${lists} }`, { n: 1000 })).toEqual([
      expect.stringContaining("ask for 51000 entities"),
    ]);
    expect(await messages(recording, `query ($n: Int) { ${lists} }`, { n: 900 })).toEqual([]);
    const deep = "{ bands(first: 1000) { members(first: 1000) { bands(first: 1000) { id } } } }";
    expect(await messages(recording, deep)).toEqual([]);
  });

  test("accepts large but ordinary queries", async () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `"${index}"`).join(", ");
    expect(
      await messages(recording, `{ musicians(first: 1000, where: { id_in: [${ids}] }) { id } }`),
    ).toEqual([]);
  });
});
