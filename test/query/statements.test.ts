import { describe, expect, test } from "vitest";
import { musicSchema } from "./music.js";
import { messages, recordingEngine } from "./recording.js";

describe("statements", () => {
  test("sends one statement for each root field, for any selection", async () => {
    const { engine, sent } = recordingEngine(musicSchema);
    const query =
      "{ musicians { name songs { title writtenBy { bands { name } } releases { title by { name } } } mainBand { name } } }";
    expect((await engine.execute({ query })).errors).toBeUndefined();
    expect(sent).toHaveLength(1);
    await engine.execute({
      query: `{ a: ${query.slice(1, -1)} b: ${query.slice(1, -1)} __typename _meta { deployment } }`,
    });
    expect(sent.slice(1).map(({ statement }) => /^(?:select|savepoint)/.exec(statement)?.[0])).toEqual([
      "savepoint",
      "select",
      "savepoint",
      "select",
    ]);
  });

  test.each([
    ["a filter", `{ musicians(where: { name: "VALUE", tags_contains: ["VALUE"] }) { id } }`],
    ["a filter", `{ musicians(where: { name_not: "VALUE", tags_contains: ["VALUE"] }) { id } }`],
    ["a pattern", `{ musicians(where: { name_contains_nocase: "VALUE" }) { id } }`],
    ["a list", `{ musicians(where: { name_in: ["VALUE", "b"] }) { id } }`],
    ["an id", `{ musician(id: "VALUE") { id } }`],
    ["a search", `{ songSearch(text: "VALUE", where: { title: "VALUE" }) { id } }`],
    [
      "a child's filter",
      `{ musicians(where: { mainBand_: { name: "VALUE" } }) { songs(where: { title: "VALUE" }) { id } } }`,
    ],
  ])("passes clients' values as parameters: %s", async (_, query) => {
    const { engine, sent } = recordingEngine(musicSchema);
    const evil = "'; drop table x --";
    await engine.execute({ query: query.replaceAll("VALUE", evil) });
    expect(sent).toHaveLength(1);
    for (const { statement, parameters } of sent) {
      expect(statement).not.toContain("drop");
      expect(parameters.join(" ")).toContain(evil);
      const places = new Set(statement.match(/\$\d+/g));
      expect(places.size, "every parameter is used").toBe(parameters.length);
    }
  });

  test("charges a query for its statements, even failed ones, but not for waiting", async () => {
    const { engine, rows, takes } = recordingEngine(musicSchema);
    Object.assign(takes, { turn: 5_000, statement: 70 });
    let spent = 0;
    const ask = async (query: string): Promise<void> => {
      spent = 0;
      await engine.execute({ query }, (milliseconds) => {
        spent += milliseconds;
      });
    };
    await ask("{ musicians { id } }");
    expect(spent).toBe(70);
    await ask("{ musicians { id } bands { id } }");
    expect(spent).toBe(140);
    rows.push([{ j: "no JSON" }]);
    await expect(ask("{ musicians { id } }")).rejects.toThrow();
    expect(spent).toBe(70);
  });

  test("compares the indexed prefix of strings and bytes", async () => {
    const { engine, sent } = recordingEngine(musicSchema);
    const statement = async (where: string, more = ""): Promise<string> => {
      await engine.execute({ query: `{ musicians(${more} where: { ${where} }) { id } }` });
      return sent.at(-1)?.statement ?? "";
    };
    expect(await statement('name: "a"')).toContain('left(t1."name", 256) = $2::text');
    expect(await statement(`name: "${"a".repeat(256)}"`)).toContain(
      '(left(t1."name", 256) = left($2::text, 256) and t1."name" = $2::text)',
    );
    expect(await statement(`name_gt: "${"a".repeat(256)}"`)).toContain('(t1."name" > $2::text)');
    expect(await statement('name_starts_with: "a"')).toContain('left(t1."name", 256) like $2::text');
    expect(await statement('name_starts_with: "a_"')).toContain('(t1."name" like $2::text)');
    expect(await statement('wallet: "0x01"')).toContain('substring(t1."wallet", 1, 64) = $2::bytea');
    expect(await statement('id: "a", mainBand: "b"')).toContain(
      '(t1."id" = $2::text and t1."main_band" = $3::text)',
    );
    expect(await statement('name: "a"', "orderBy: name,")).toContain(
      'order by left(t1."name", 256) asc, t1."name" asc, t1."id" asc limit 100',
    );
  });

  test("tries few versions of a referenced entity first, but only in short queries", async () => {
    const { engine, sent } = recordingEngine(musicSchema);
    const looked = async (query: string): Promise<number> => {
      expect((await engine.execute({ query })).errors).toBeUndefined();
      return sent.at(-1)?.statement.match(/ limit 8\) /g)?.length ?? 0;
    };
    expect(await looked("{ musicians { mainBand { name } bands { name } } }")).toBe(2);
    expect(await looked("{ albums { songs { title } } bands { members { name } } }")).toBe(0);
    expect(await looked("{ reviews { target { title } } }")).toBe(2);
    const deep = "mainBand { leader { ".repeat(15);
    expect(await looked(`{ musicians { ${deep} id ${"} }".repeat(15)} } }`)).toBe(20);
  });

  test("sets a timeout for statements that could return much", async () => {
    const { engine, sent } = recordingEngine(musicSchema, { resultBytes: 1234 });
    await engine.execute({ query: "{ musicians { songs(first: 5) { id } } }" });
    await engine.execute({ query: "{ musicians { songs(first: 50) { id } } }" });
    expect(sent.map(({ statement }) => statement.includes("> 1234"))).toEqual([false, true]);
  });

  test("starts no statement once the request has timed out", async () => {
    const slow = recordingEngine(
      musicSchema,
      { requestTimeout: 1000 },
      {
        state: async () => ({ head: { number: 20, hash: "0x20" }, earliestBlock: 0 }),
        blockOfHash: async () => {
          slow.clock.now = 1000;
          return { number: 10, hash: "0x10" };
        },
      },
    );
    expect(await messages(slow, '{ bands(block: { hash: "0x10" }) { id } }')).toEqual(["Query timed out"]);
    expect(slow.sent).toEqual([]);
  });
});

describe("a mistake below a list", () => {
  const query = "{ bands { members(orderBy: tags) { id } } }";

  test("an error below an empty list is not reported", async () => {
    const { engine } = recordingEngine(musicSchema);
    expect(await engine.execute({ query })).toMatchObject({ data: { bands: [] } });
  });

  test("an error below a list is reported once", async () => {
    const recording = recordingEngine(musicSchema);
    recording.rows.push([{ j: "[0,null]" }, { j: "[0,null]" }]);
    expect(await messages(recording, query)).toEqual([
      "Ordering by `tags` is not supported for type `Musician`",
    ]);
  });
});

describe("before anything is indexed", () => {
  test("reports that indexing has not started, but reports syntax errors first", async () => {
    const recording = recordingEngine(musicSchema, {}, { state: async () => undefined });
    expect(await messages(recording, "{ nope }")).toEqual([
      "Store error: query execution failed: Subgraph `QmRecorded` has not started syncing yet. Wait for it to " +
        "ingest a few blocks before querying it",
    ]);
    expect((await messages(recording, "{")).join()).toContain("Unexpected end of input");
  });
});
