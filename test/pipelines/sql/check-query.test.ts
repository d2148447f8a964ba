import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDuckDb } from "../../../src/pipelines/machine/duckdb/open-duckdb.js";
import { checkQuery, type QueryFacts } from "../../../src/pipelines/sql/check-query.js";
import type { KnownFunctions, SqlEngine } from "../../../src/pipelines/sql/engine.js";
import { propertyRun } from "../../support/property/property-run.js";

let engine: SqlEngine;
let functions: KnownFunctions;
beforeAll(async () => {
  engine = await openDuckDb({ memory: 256, time: 10_000 });
  functions = await engine.functions();
});
afterAll(() => engine.close());

async function factsOf(query: string): Promise<QueryFacts> {
  const parsed = await engine.parse(query);
  if (parsed.kind === "fault") throw new Error(parsed.message);
  return checkQuery(parsed.tree, functions);
}

describe("a query that streams", () => {
  it.each([
    ["select id, upper(data) as data from base.logs where address = '0x'", ["base.logs"]],
    ["with a as (select * from x) select a.id from a union all select id from y", ["x", "y"]],
    ["select x.id, t.p from x, unnest(x.list) as t(p)", ["x"]],
    ["select id from (select * from x where n > 5) s", ["x"]],
    ["select case when a then 1 else 2 end, list_transform(l, e -> e || 'x') from x", ["x"]],
    ["from x select id", ["x"]],
  ])("%s", async (query, reads) => {
    const facts = await factsOf(query);
    expect(facts.faults).toEqual([]);
    expect(facts.reads.map(({ name }) => name)).toEqual(reads);
  });
});

describe("a query that does not stream", () => {
  it.each([
    ["select count(*) from x", "count() needs more than one row at a time"],
    ["select a, sum(b) from x group by a", "GROUP BY needs more than one row at a time"],
    ["select a, sum(b) from x group by all", "GROUP BY needs more than one row at a time"],
    ["select distinct a from x", "DISTINCT needs more than one row at a time"],
    ["select a from x order by a", "ORDER BY needs more than one row at a time"],
    ["select a from x limit 5", "LIMIT needs more than one row at a time"],
    ["select row_number() over () from x", "a window function needs more than one row at a time"],
    [
      "select a from x qualify row_number() over () = 1",
      "a window function needs more than one row at a time",
    ],
    ["select a from x union select a from y", "UNION needs more than one row at a time"],
    ["select a from x except all select a from y", "EXCEPT needs more than one row at a time"],
    ["select a from x using sample 3", "a sample needs more than one row at a time"],
    ["select a from x join y using (a)", "a join needs more than one row at a time"],
    ["select a from x, y", "a join needs more than one row at a time"],
    ["select x.a from x left join unnest(x.l) t(p) on true", "a left join needs more than one row at a time"],
    ["select (select max(a) from y) from x", "a subquery in an expression needs more than one row at a time"],
    [
      "select a from x where a in (select a from y)",
      "a subquery in an expression needs more than one row at a time",
    ],
    [
      "with recursive t as (select 1 as n union all select n + 1 from t) select n from t",
      "WITH RECURSIVE needs more than one row at a time",
    ],
    ["select 1", "without a source, a SELECT gives its rows again for every batch"],
    ["values (1)", "without a source, a SELECT gives its rows again for every batch"],
    ["select a from x union all select 1", "without a source, a SELECT gives its rows again for every batch"],
    ["select * from range(5)", "without a source, a SELECT gives its rows again for every batch"],
    ["with s as (select count(*) as n from x) select n from s", "count() needs more than one row at a time"],
    ["select n from (select max(a) as n from x)", "max() needs more than one row at a time"],
  ])("%s", async (query, message) => {
    const { faults } = await factsOf(query);
    expect(faults.map((fault) => fault.message)).toContain(message);
    expect(faults.every(({ code, hint }) => code === "sql-not-streaming" && hint !== "")).toBe(true);
  });

  it("points at the part that cannot stream", async () => {
    const query = "select 'ä' as s, sum(b) from x";
    const [fault] = (await factsOf(query)).faults;
    expect(Buffer.from(query).subarray(fault?.offset).toString()).toMatch(/^sum/);
  });
});

describe("a query that is refused", () => {
  it.each([
    ["select * from read_csv('/etc/passwd')", "read_csv() is not a source of the flow"],
    ["select * from duckdb_settings()", "duckdb_settings() is not a source of the flow"],
    ["select x.a from x, read_text(x.path)", "read_text() is not a source of the flow"],
    ["select a from x; select b from y", "the text is not a single query"],
    [
      "select random() from x",
      "random() gives another result each time, so that no row can be computed again",
    ],
    ["select uuid() from x", "uuid() gives another result each time, so that no row can be computed again"],
    ["select a from x pivot (sum(b) for c in (1, 2))", "a query cannot read FROM pivot"],
    ["describe select a from x", "a query cannot read FROM show_ref"],
  ])("%s", async (query, message) => {
    const { faults } = await factsOf(query);
    expect(faults).toContainEqual(expect.objectContaining({ code: "sql-forbidden", message }));
  });

  it.each([
    "now()",
    "NOW()",
    "today()",
    "current_date",
    "CURRENT_TIMESTAMP",
    "current_time",
    "localtime",
    "localtimestamp",
    "get_current_timestamp()",
    "transaction_timestamp()",
    "age(b)",
    "ago(interval 1 day)",
    "pg_postmaster_start_time()",
    "date_trunc('day', now())",
    "case when a > epoch(now()) then 1 end",
  ])("depends on the time at which it runs: %s", async (expression) => {
    for (const query of [`select ${expression} as c from x`, `select a from x where ${expression} is null`]) {
      const { faults } = await factsOf(query);
      expect(faults, query).toContainEqual(
        expect.objectContaining({
          code: "sql-forbidden",
          message: expect.stringContaining("gives the time of the run"),
          hint: expect.stringContaining("block_timestamp"),
        }),
      );
    }
  });

  it("may not call any DuckDB function that depends on the time", async () => {
    const duckdb = await DuckDBInstance.create();
    const connection = await duckdb.connect();
    // Names of the database, which do not change.
    const constant = ["current_database", "current_schema", "current_schemas", "in_search_path"];
    const asked = await connection.runAndReadAll(
      `select distinct function_name, len(parameters) from duckdb_functions()
      where function_type in ('scalar', 'macro') and function_name not in ('${constant.join("', '")}')
        and (stability = 'CONSISTENT_WITHIN_QUERY'
          or regexp_matches(macro_definition, '\\b(now|today|current_(date|time|timestamp)|random|uuid)\\b'))`,
    );
    const found = asked.getRows().map(([name, count]) => ({ name: String(name), count: Number(count) }));
    expect(found.length).toBeGreaterThan(5);
    for (const { name, count } of found) {
      const { faults } = await factsOf(`select ${name}(${Array(count).fill("a").join(", ")}) as c from x`);
      expect(faults, name).toContainEqual(expect.objectContaining({ code: "sql-forbidden" }));
    }
    connection.closeSync();
    duckdb.closeSync();
  });

  it.each([
    ["select version() as c from x", "version() says something about the engine, and not about the row"],
    [
      "select current_user as c from x",
      "current_user says something about the engine, and not about the row",
    ],
    ["select error('no') as c from x", "error() would stop the sinks for good"],
  ])("neither is what the engine says about itself, or that it should fail: %s", async (query, message) => {
    expect((await factsOf(query)).faults).toEqual([
      expect.objectContaining({ code: "sql-forbidden", message }),
    ]);
  });

  it("is not confused with a query that names such a column of a table", async () => {
    expect((await factsOf("select x.current_date, age(a, b) from x")).faults).toEqual([]);
  });

  it.each([
    "insert into x values (1)",
    "copy x to '/tmp/x'",
    "attach '/tmp/x'",
    "select from where",
  ])("%s has no tree", async (text) => {
    expect((await engine.parse(text)).kind).toBe("fault");
  });
});

describe("a subquery anywhere in a query", () => {
  const places: readonly string[] = [
    "SELECT (SUB) AS v FROM a",
    "SELECT id FROM a WHERE id IN (SUB)",
    "SELECT id FROM a WHERE EXISTS (SUB)",
    "SELECT id FROM a WHERE id > ANY (SUB)",
    "SELECT id FROM a WHERE id > ALL (SUB)",
    "SELECT id FROM a GROUP BY id HAVING count(*) > (SUB)",
    "SELECT count(*) FROM a GROUP BY (SUB)",
    "SELECT id FROM a ORDER BY (SUB)",
    "SELECT id FROM a LIMIT (SUB)",
    "SELECT DISTINCT ON ((SUB)) id FROM a",
    "SELECT id FROM a QUALIFY row_number() OVER (ORDER BY (SUB)) = 1",
    "SELECT sum(id) FILTER (WHERE id IN (SUB)) FROM a",
    "SELECT sum(id ORDER BY (SUB)) FROM a",
    "SELECT sum(id) OVER (PARTITION BY (SUB)) FROM a",
    "SELECT CASE WHEN (SUB) = 1 THEN 2 ELSE (SUB) END FROM a",
    "SELECT coalesce(id, abs((SUB))) FROM a",
    "SELECT a.id FROM a JOIN a AS c ON a.id = (SUB)",
    "SELECT * FROM a, (VALUES ((SUB))) AS v(x)",
    "SELECT * FROM a, unnest([(SUB)]) AS v(x)",
    "SELECT * FROM (SELECT id FROM a WHERE id IN (SUB)) AS q",
    "WITH c AS (SELECT id FROM a WHERE id IN (SUB)) SELECT id FROM c",
    "WITH RECURSIVE c AS (SELECT id FROM a UNION ALL SELECT id FROM c WHERE id IN (SUB)) SELECT id FROM c",
    "SELECT id FROM a UNION ALL SELECT id FROM a WHERE id IN (SUB)",
    "SELECT * REPLACE ((SUB) AS id) FROM a",
    "SELECT [x + (SUB) FOR x IN [1]] FROM a",
    "SELECT id FROM a WHERE id IN (SELECT id FROM a WHERE id = (SUB))",
  ];

  it.each(places)("is looked into: %s", async (place) => {
    const check = (sub: string): Promise<QueryFacts> => factsOf(place.replaceAll("SUB", sub));
    expect((await check("SELECT id FROM planted")).reads.map(({ name }) => name)).toContain("planted");
    expect((await check("SELECT content FROM read_text('x')")).faults).toContainEqual(
      expect.objectContaining({ code: "sql-forbidden", message: expect.stringContaining("read_text()") }),
    );
    expect((await check("SELECT random()")).faults).toContainEqual(
      expect.objectContaining({ code: "sql-forbidden", message: expect.stringContaining("random()") }),
    );
  });
});

describe("a list that a value is compared with by ANY", () => {
  it.each([
    "select a from x where b = any ([1, c])",
    "select b <> all (array[c, null]) as v from x",
  ])("belongs to its row: %s", async (query) => {
    expect((await factsOf(query)).faults).toEqual([]);
  });

  it.each([
    "select a from x where b in (with c as (select content from read_text('x')) select unnest([1]))",
    "select a from x where b in (select unnest([1]) where exists (select content from read_text('x')))",
    "select a from x where b in (select unnest([1], recursive := (select content from read_text('x')) = 1))",
    "select a from x where b = any ([(select content from read_text('x'))])",
  ])("hides nothing: %s", async (query) => {
    expect((await factsOf(query)).faults).toContainEqual(
      expect.objectContaining({ code: "sql-forbidden", message: expect.stringContaining("read_text()") }),
    );
  });
});

describe("a query that is nested at random", () => {
  /** Where an expression or a relation belongs. */
  const [expressionHole, relationHole] = ["<expression>", "<relation>"];
  const filled = (form: string, ...parts: readonly string[]): string =>
    parts.reduce((text, part) => text.replace("_", () => part), form);
  const { query } = fc.letrec<{ query: string; expression: string; relation: string }>((tie) => {
    const expressions = (forms: readonly string[]): fc.Arbitrary<string> =>
      fc
        .tuple(fc.constantFrom(...forms), tie("expression"), tie("expression"), tie("expression"))
        .map(([form, ...parts]) => filled(form, ...parts));
    const queries = (forms: readonly string[]): fc.Arbitrary<string> =>
      fc
        .tuple(fc.constantFrom(...forms), tie("query"), tie("query"))
        .map(([form, ...parts]) => filled(form, ...parts));
    return {
      expression: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.constant(expressionHole),
        expressions([
          "CASE WHEN _ THEN _ ELSE _ END",
          "CASE _ WHEN _ THEN _ END",
          "abs(_)",
          "coalesce(_, _)",
          "(_ + _)",
          "CAST(_ AS VARCHAR)",
          "(_ BETWEEN _ AND _)",
          "(_ IN (_, _))",
          "[_, _][1]",
          "{'k': _}.k",
          "(_ IS NULL)",
          "list_transform([_], lambda x: x + _)",
          "[x + _ FOR x IN [_] IF _]",
          "(NOT _)",
          "(_ LIKE _)",
          "sum(_) FILTER (WHERE _)",
          "sum(_ ORDER BY _)",
          "sum(_) OVER (PARTITION BY _ ORDER BY _)",
          "sum(_) OVER (ORDER BY id ROWS BETWEEN _ PRECEDING AND CURRENT ROW)",
        ]),
        queries(["(_)", "EXISTS (_)", "(id IN (_))", "(id > ANY (_))", "ARRAY(_)"]),
      ),
      relation: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.constant(relationHole),
        queries(["(_) AS q", "((_) UNION ALL (_)) AS q"]),
        expressions([
          "(VALUES (_)) AS v(x)",
          "a AS l JOIN a AS r ON _ = _",
          "a, unnest([_]) AS u(x)",
          "a LEFT JOIN range(_) AS r(x) ON _",
        ]),
        fc
          .tuple(tie("relation"), tie("relation"))
          .map(([left, right]) => `${left}, LATERAL (SELECT * FROM ${right}) AS z`),
      ),
      query: fc
        .tuple(
          fc.constantFrom(
            "SELECT _ AS v FROM @ WHERE _",
            "SELECT id FROM @ GROUP BY _ HAVING _",
            "SELECT id FROM @ ORDER BY _, _",
            "SELECT id FROM @ QUALIFY _ = _",
            "SELECT DISTINCT ON (_) id FROM @ WHERE _",
            "SELECT id FROM @ LIMIT _ OFFSET _",
            "SELECT * REPLACE (_ AS id) FROM @",
            "WITH c AS (SELECT _ FROM @) SELECT id FROM c WHERE _",
            "FROM @ SELECT _",
            "SELECT sum(id) OVER w FROM @ WINDOW w AS (PARTITION BY _ ORDER BY _)",
          ),
          tie("relation"),
          tie("expression"),
          tie("expression"),
        )
        .map(([form, from, ...parts]) => filled(form, ...parts).replace("@", () => from)),
    };
  });
  const plants = [
    ["(SELECT content FROM read_text('x'))", "read_text('x')", "read_text()"],
    ["(SELECT id FROM glob('*'))", "glob('*')", "glob()"],
    ["random()", "read_csv('x')", undefined],
    ["(SELECT id FROM planted)", "planted", "planted"],
    ["EXISTS (FROM s.planted)", "s.planted", "s.planted"],
  ] as const;

  it("is refused wherever it contains something forbidden", async () => {
    let parsedOnes = 0;
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.nat(),
        fc.constantFrom(...plants),
        async (text, at, [inner, from, named]) => {
          const holes = text.match(/<\w+>/g) ?? [];
          let index = 0;
          const planted = text.replace(/<\w+>/g, (hole) => {
            const isPlanted = index++ === at % holes.length;
            if (hole === expressionHole) return isPlanted ? inner : "id";
            return isPlanted ? from : "a";
          });
          const parsed = await engine.parse(planted);
          if (parsed.kind === "fault") return;
          parsedOnes += 1;
          const { faults, reads } = checkQuery(parsed.tree, functions);
          const found = [
            ...reads.map(({ name }) => name),
            ...faults.filter(({ code }) => code === "sql-forbidden").map(({ message }) => message),
          ].join("\n");
          expect([planted, found]).toEqual([
            planted,
            expect.stringMatching(named?.replace("()", "\\(\\)") ?? /random\(\)|read_csv\(\)/),
          ]);
        },
      ),
      propertyRun(200),
    );
    // Not every text that the generator makes is SQL.
    expect(parsedOnes).toBeGreaterThan(100);
  });
});
