import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type Database, uncheckedSql } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";
import type { DoubleServer } from "../../support/network/double-server.js";
import { graphloom, type Ran, workplace } from "../harness.js";
import { hashOf, startTampered, startTwin, type Twin, twinSchema } from "./twins.js";

const { fresh } = onEither();
let database: Database;
let left: Twin;
let right: Twin;

beforeAll(async () => {
  database = await fresh();
  left = await startTwin(database, "QmLeft", 2500);
  right = await startTwin(database, "QmRight", 2500);
});
afterAll(async () => {
  await left.server.stop();
  await right.server.stop();
});
beforeEach(() => left.server.rule(() => undefined));

const compare = (
  more = "",
  sides: readonly [{ readonly url: string }, { readonly url: string }] = [left.server, right.server],
  cwd = workplace(),
): Promise<Ran> => graphloom(cwd, `compare ${sides[0].url} ${sides[1].url} --rate 500 ${more}`);

/** Changes tables of the right side for one test. */
async function changed(change: string, back: string): Promise<void> {
  await database.run(uncheckedSql(change.replaceAll("$", `"${right.namespace}"`)));
  onTestFinished(async () => database.run(uncheckedSql(back.replaceAll("$", `"${right.namespace}"`))));
}

/** Starts a left side that changes its answers, for one test. */
async function tampered(tamper: (answer: string, query: string) => string): Promise<DoubleServer> {
  const server = await startTampered(left, tamper);
  onTestFinished(() => server.stop());
  return server;
}

describe("compare", () => {
  test("finds no difference between equal endpoints, at the lower of their two heads", async () => {
    await left.block(7);
    const { code, out, err } = await compare();
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(`left   ${left.server.url}  QmLeft, at block 7
right  ${right.server.url}  QmRight, at block 6
block  6, ${hashOf(6)} on both sides

ENTITY    LEFT  RIGHT  ONLY LEFT  ONLY RIGHT  DIFFERENT
Account   100   100    0          0           0
Point     20    20     0          0           0
Transfer  2500  2500   0          0           0

Both sides are the same: 2620 entities.
`);
  });

  test("reports the only field of the only entity that differs", async () => {
    await changed(
      "update $.transfer set amount = 5 where vid = 777",
      "update $.transfer set amount = 77700000000000000000000 where vid = 777",
    );
    const { code, out } = await compare("--output json --entity Transfer");
    expect(code).toBe(4);
    const told = JSON.parse(out);
    expect([told.equal, told.block]).toEqual([
      false,
      { number: 6, left: null, right: hashOf(6), same: true },
    ]);
    expect(told.entities).toEqual({
      Transfer: {
        left: 2500,
        right: 2500,
        only_left: 0,
        only_right: 0,
        different: 1,
        fields: { amount: 1 },
        first: [
          {
            id: "0x0000000000000000000000000000000036605a39",
            only: null,
            fields: [{ name: "amount", left: '"77700000000000000000000"', right: '"5"' }],
          },
        ],
      },
    });
    expect((await compare("--entity Account")).code).toBe(0);
  });

  test("reports entities that only one side has, and orders numeric ids as numbers", async () => {
    await changed(
      `delete from $.point where id in (7, 14, 70); update $.point set id = -5 where id = 35;
       delete from $.account where id = 'a99'; update $.account set friends = array['a20', 'a0'] where id = 'a0'`,
      `insert into $.point (vid, block_range, id, value) values (1, '[6,)', 7, 1), (2, '[6,)', 14, 2), (10, '[6,)', 70, 10);
       update $.point set id = 35 where id = -5; update $.account set friends = array['a0', 'a20'] where id = 'a0';
       insert into $.account (vid, block_range, id, friends) values (99, '[6,)', 'a99', array['a1', 'a24'])`,
    );
    const { code, out } = await compare("--entity Point --entity Account --show 2");
    expect(code).toBe(4);
    expect(out).toContain("Account  100   99     1          0           0");
    expect(out).toContain("Point    20    17     4          1           0");
    expect(out).toContain(
      "Point: 5 differences, showing the first 2\n  -5  only on the right\n  7  only on the left\n",
    );
    expect(out).toContain("Account: 1 difference\n  a99  only on the left\n");
    expect(out.endsWith("The sides differ.\n")).toBe(true);
  });

  test("reports types and fields that differ, and still compares the rest", async () => {
    const schema = `${twinSchema.replace("note: String", "note: String! memo: String").replace("value: Int!", "value: BigInt!")}
      type Extra @entity { id: ID! }`;
    const other = await startTwin(database, "QmOther", 10, { schema });
    onTestFinished(() => other.server.stop());
    const { code, out } = await compare("", [other.server, other.server]);
    expect([code, out]).toEqual([0, expect.stringContaining("Both sides are the same: 130 entities.")]);
    const differing = await compare("--output json", [left.server, other.server]);
    const told = JSON.parse(differing.out);
    expect(told.schema).toEqual([
      { kind: "type", name: "Extra", only: "right" },
      { kind: "field-type", name: "Point.value", left: "Int!", right: "BigInt!" },
      { kind: "field", name: "Transfer.memo", only: "right" },
      { kind: "field-type", name: "Transfer.note", left: "String", right: "String!" },
    ]);
    expect(told.left_out).toEqual([
      { name: "Point.value", why: "its values on the two sides are of different kinds" },
    ]);
    expect(told.entities.Point).toMatchObject({ left: 20, right: 20, different: 0 });
    expect([differing.code, told.entities.Transfer]).toMatchObject([4, { only_left: 2490, different: 0 }]);
  });

  test("does not compare endpoints on different chains", async () => {
    const other = await startTwin(database, "QmFork", 1);
    onTestFinished(() => other.server.stop());
    await left.block(8);
    await other.block(8, hashOf(88));
    const { code, out } = await compare("", [left.server, other.server]);
    expect([code, out]).toEqual([
      4,
      expect.stringContaining("Nothing was compared: the sides follow different chains"),
    ]);
    expect(out).toContain(`block  8: ${hashOf(8)} on the left, ${hashOf(88)} on the right`);
    expect(out).not.toContain("ENTITY");
  });
});

describe("compare --state", () => {
  test("resumes a failed comparison, with one request for the types already read", async () => {
    const cwd = workplace();
    let pages = 0;
    left.server.rule(({ body }) => {
      pages += String(body).includes("transfers") ? 1 : 0;
      return pages > 2 ? { kind: "status", status: 403 } : undefined;
    });
    const line = "--state c.state --header-left X-Api-Key:sesame-9 --block 6";
    const first = await compare(line, undefined, cwd);
    expect([first.code, first.out]).toEqual([3, ""]);
    expect(first.err).toContain("left (");
    expect(first.err).toContain("status 403: it requires a valid key, passed with --header-left");
    const kept = readFileSync(join(cwd, "c.state"), "utf8");
    expect(JSON.parse(kept).types.map(({ left }: { left: number }) => left)).toEqual([100, 20, 2000]);
    expect(kept).not.toContain("sesame");
    expect(kept).not.toContain("127.0.0.1");

    left.server.rule(() => undefined);
    const before = right.server.requests.length;
    const second = await compare(line, undefined, cwd);
    expect([second.code, second.err]).toEqual([0, "resuming at block 6 from c.state\n"]);
    expect(second.out).toContain("Transfer  2500  2500   0          0           0");
    const asked = right.server.requests.slice(before).map(({ body }) => String(body));
    expect(asked.filter((query) => query.includes("rows:"))).toHaveLength(2);

    // A finished comparison starts from the beginning.
    const third = await compare(`${line} --entity Point`, undefined, cwd);
    expect([third.code, third.err]).toEqual([0, ""]);
  });

  test("resumes an interrupted comparison", async () => {
    const cwd = workplace();
    const interrupt = new AbortController();
    left.server.rule(({ body }) => {
      if (!String(body).includes("transfers")) return undefined;
      interrupt.abort();
      return { kind: "silence" };
    });
    const line = `compare ${left.server.url} ${right.server.url} --rate 500 --state c.state`;
    const first = await graphloom(cwd, line, { signal: interrupt.signal });
    expect([first.code, first.out, first.writing]).toEqual([130, "", [true, false]]);
    left.server.rule(() => undefined);
    const second = await graphloom(cwd, line);
    expect([second.code, second.err]).toEqual([0, "resuming at block 6 from c.state\n"]);
  });

  test("neither resumes a different comparison nor overwrites a foreign file", async () => {
    const cwd = workplace({ "mine.txt": "mine" });
    left.server.rule(({ body }) => (String(body).includes("transfers") ? { kind: "cut" } : undefined));
    await compare("--state c.state", undefined, cwd);
    left.server.rule(() => undefined);
    for (const [more, message] of [
      ["--state c.state --entity Point", "it belongs to a comparison of other endpoints, types or fields"],
      ["--state c.state --block 5", "it belongs to a comparison at block 6, not at block 5"],
      ["--state mine.txt", "graphloom did not write it"],
      ["--state no/folder/c.state", "it cannot be written"],
    ]) {
      const { code, err } = await compare(more, undefined, cwd);
      expect([code, err]).toEqual([1, expect.stringContaining(message ?? "")]);
    }
    expect(readFileSync(join(cwd, "mine.txt"), "utf8")).toBe("mine");
    writeFileSync(join(cwd, "c.state"), '{"graphloom":"compare","types":[{"name":7}],"block":{}}');
    expect((await compare("--state c.state", undefined, cwd)).err).toContain(
      "it is damaged, or graphloom did not write it",
    );
  });
});

describe("an endpoint that misbehaves", () => {
  const pageOf = (query: string, root: string): boolean => query.includes(`rows: ${root}(`);

  test.each<[string, (answer: string, query: string) => string, string]>([
    ["an answer that is not JSON", () => "<html>", "its answer is not GraphQL"],
    ["an answer without data", () => '{"data": 7}', "its answer is not GraphQL"],
    [
      "an answer without a head",
      (answer) => answer.replace('"_meta"', '"meta"'),
      "its _meta does not report the latest block",
    ],
    [
      "names that are invalid in GraphQL",
      (answer) => answer.replaceAll('"name":"amount"', '"name":"amount } steal { id"'),
      "it does not describe its schema: it contains a name that is not valid in GraphQL",
    ],
    [
      "an endpoint that does not serve a subgraph",
      (answer) => answer.replaceAll('"name":"where"', '"name":"filter"'),
      "but not as a subgraph does",
    ],
    [
      "an indexing error",
      (answer, query) => (pageOf(query, "accounts") ? '{"errors":[{"message":"indexing_error"}]}' : answer),
      "indexing failed at or before this block",
    ],
    [
      "ids in the wrong order",
      (answer, query) => (pageOf(query, "accounts") ? answer.replace('"id":"a1"', '"id":"b1"') : answer),
      'the ids of Account are not in the order of their bytes ("b1" before "a10")',
    ],
    [
      "numeric ids in the order of strings",
      (answer, query) => (pageOf(query, "points") ? answer.replace('"id":"7"', '"id":"77"') : answer),
      'the ids of Point are not in the order of their numbers ("77" before "14")',
    ],
    [
      "a number that loses digits",
      (answer, query) =>
        pageOf(query, "points") ? answer.replace('"value":1', '"value":123456789012345678901') : answer,
      "the value of Point.value in an entity does not match the type of the field",
    ],
    [
      "an entity without an id",
      (answer, query) => (pageOf(query, "points") ? answer.replace('"id":"7"', '"id":7') : answer),
      "an entity of Point has no valid id",
    ],
    [
      "a page that is not a list",
      (answer, query) => (pageOf(query, "points") ? answer.replace('"rows":[', '"cows":[') : answer),
      "its answer is not the requested page of Point",
    ],
    [
      "a change of deployment during the comparison",
      (answer, query) => (pageOf(query, "transfers") ? answer.replace("QmLeft", "QmNext") : answer),
      "it now serves a different deployment than at the start",
    ],
    [
      "a message with control characters and the key",
      () => '{"errors":[{"message":"\\u001b[2Jno, sesame-9"}]}',
      'it says "\\u001b[2Jno, …"',
    ],
  ])("ends with an error: %s", async (_, tamper, message) => {
    const server = await tampered(tamper);
    const { code, out, err } = await compare("--header-left X-Api-Key:sesame-9", [server, right.server]);
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain(`left (${server.url}): `);
    expect(err).toContain(message);
    expect(err).not.toContain("sesame");
  });

  test("ends with an error when the endpoint keeps returning the same page", async () => {
    let page: string | undefined;
    const server = await tampered((answer, query) => {
      if (!pageOf(query, "transfers")) return answer;
      page ??= answer;
      return page;
    });
    const { code, err } = await compare("--entity Transfer", [server, right.server]);
    expect([code, err]).toEqual([3, expect.stringContaining("are not in the order of their bytes")]);
    expect(server.requests.length).toBeLessThan(10);
  });

  test("escapes control characters in the strings of entities, and hides a key in them", async () => {
    const server = await tampered((answer, query) =>
      pageOf(query, "transfers") ? answer.replace('"note":""', '"note":"\\u001b[31m sesame-9"') : answer,
    );
    const { code, out } = await compare("--entity Transfer --header-left X-Api-Key:sesame-9", [
      server,
      right.server,
    ]);
    expect([code, out]).toEqual([4, expect.stringContaining('note: "\\u001b[31m …" | ""')]);
  });

  test("rejects a block that the endpoint has not reached, or no longer keeps", async () => {
    for (const [block, message] of [
      [9000, "it has not reached this block yet; pass an earlier --block"],
      [2, "it no longer keeps the history of this block; pass a later --block"],
    ]) {
      const { code, err } = await compare(`--block ${block}`);
      expect([code, err]).toEqual([3, expect.stringContaining(`${message}`)]);
    }
  });

  test("retries when an answer is cut off or times out", async () => {
    const timeout = '{"errors":[{"message":"canceling statement due to statement timeout"}]}';
    for (const [spoiled, why] of [
      [(answer: string) => answer.slice(0, answer.length / 2), "its answer was cut off"],
      [() => timeout, "canceling statement due to statement timeout"],
    ] as const) {
      let answers = 0;
      const once = await tampered((answer) => {
        answers += 1;
        return answers === 3 ? spoiled(answer) : answer;
      });
      const { code, err } = await compare("--entity Point", [once, right.server]);
      expect([code, err]).toEqual([0, expect.stringMatching(/^retrying in 0\.\d s: left .*\n$/)]);
      expect(err).toContain(why);
    }
    const always = await tampered((answer, query) => (pageOf(query, "points") ? timeout : answer));
    const { code, out, err } = await compare("--entity Point --output json", [always, right.server]);
    const { message } = JSON.parse(out).error;
    expect([code, message.split("\n")]).toEqual([3, [expect.stringContaining("the query took too long")]]);
    expect(err.match(/retrying in/g)).toHaveLength(2);
  });

  test("waits as long as Retry-After says, unless that is too long", async () => {
    left.server.fail({ kind: "status", status: 429, headers: { "retry-after": "0.2" } });
    const { code, err } = await compare("--entity Point");
    expect([code, err]).toEqual([0, expect.stringMatching(/^retrying in 0\.[2-9] s: .*status 429/)]);
    left.server.rule(() => ({ kind: "status", status: 429, headers: { "retry-after": "300" } }));
    const ended = await compare("--entity Point");
    expect([ended.code, ended.err]).toEqual([3, expect.stringContaining("pass a lower --rate")]);
  });
});
