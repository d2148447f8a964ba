import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { runSinks } from "../../../src/pipelines/runner/run-sinks.js";
import { openHandler } from "../../../src/pipelines/transforms/handler/open-handler.js";
import type { PlannedTransformOf, TransformWorld } from "../../../src/pipelines/transforms/opening.js";
import { type RowTransform, TransformError } from "../../../src/pipelines/transforms/row-transform.js";
import { errorOf } from "../../support/pipelines/keyed-batch.js";
import { openEngine } from "../../support/pipelines/law-pipeline.js";
import { located, locatedText, namedValues } from "../../support/pipelines/located.js";
import { PlayedChain, playedColumns, playedSource } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";
import {
  type PlayedAnswer,
  type RecordedRequest,
  type RecordingServer,
  startRecordingServer,
} from "../../support/pipelines/recording-server.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";

let server: RecordingServer;
beforeAll(async () => {
  server = await startRecordingServer();
});
beforeEach(() => {
  server.clear();
  server.answer(({ body }) => ({ status: 200, body }));
});
afterAll(() => server.stop());

const input: readonly RowColumn[] = [
  { name: "id", type: "STRING", nullable: false },
  { name: "amount", type: "DECIMAL", nullable: true },
  { name: "block", type: "LONG", nullable: false },
  { name: "at", type: "TIMESTAMP", nullable: true },
  { name: "more", type: "JSON", nullable: true },
  { name: "topics", type: "ARRAY<STRING>", nullable: true },
];

type Settings = PlannedTransformOf<"handler">["definition"]["settings"];

/** Nobody waits between attempts; requests have a time of their own. */
const clock = { now: () => Date.now(), timeout: () => AbortSignal.timeout(0) };
const world = sinkWorld({ folder: "", secrets: { KEY: "x-api-key: s3cret-s3cret" }, clock });
/** Requests are given up soon. */
const hasty = sinkWorld({ folder: "", timeout: 100, clock });

/** @param output the columns that come back, if not those that are given */
function opened(
  settings: Settings = {},
  output: readonly RowColumn[] = input,
  own: TransformWorld = world,
): Promise<RowTransform> {
  const planned: PlannedTransformOf<"handler"> = {
    name: "enrich",
    definition: {
      type: "handler",
      name: locatedText("enrich"),
      settings: { url: locatedText(`${server.url}/enrich`), ...settings },
    },
    reads: ["rows"],
    input,
    schema: { columns: output, key: ["id"] },
  };
  return openHandler(planned, own);
}

const most = (2n ** 256n - 1n).toString();

function rows(...ids: readonly string[]): {
  readonly count: number;
  readonly columns: (string | bigint | null | string[])[][];
} {
  return {
    count: ids.length,
    columns: [
      [...ids],
      ids.map((_, index) => (index === 1 ? null : most)),
      ids.map((_, index) => (index === 1 ? -(2n ** 63n) : 7n)),
      ids.map((_, index) => (index === 1 ? null : 1_700_000_000_000_001n)),
      ids.map(() => '{"a":[1]}'),
      ids.map(() => ["0x1", "0x2"]),
    ],
  };
}

/** Answers with what a function makes of each row. */
function play(change: (row: Record<string, unknown>, index: number) => unknown): void {
  server.answer(({ body }) => ({ status: 200, body: JSON.stringify(JSON.parse(body).map(change)) }));
}

function sentIds(): readonly (readonly string[])[] {
  return server.requests.map(({ body }) => [JSON.parse(body)].flat().map(({ id }) => id));
}

describe("a handler", () => {
  it("gets rows as a list, and returns each unchanged", async () => {
    const handler = await opened({
      headers: namedValues({ "x-team": "data" }),
      secret_name: locatedText("KEY"),
    });
    const given = rows("a", "b");
    expect(await handler.apply(given)).toEqual(given);
    const [{ method, path, headers, body } = expect.unreachable()] = server.requests;
    expect([method, path, headers["content-type"], headers["x-team"], headers["x-api-key"]]).toEqual([
      "POST",
      "/enrich",
      "application/json",
      "data",
      "s3cret-s3cret",
    ]);
    expect(JSON.parse(body)[0]).toEqual({
      id: "a",
      amount: most,
      block: 7,
      at: "2023-11-14T22:13:20.000001Z",
      more: { a: [1] },
      topics: ["0x1", "0x2"],
    });
  });

  it("changes, adds and removes columns; columns that it does not name stay", async () => {
    const [id, amount] = input as readonly [RowColumn, RowColumn];
    const made = (name: string, type: RowColumn["type"]): RowColumn => ({ name, type, nullable: true });
    const output = [
      id,
      amount,
      made("block", "DOUBLE"),
      made("isLarge", "BOOLEAN"),
      made("price", "NUMERIC"),
      made("none", "STRING"),
      made("time", "TIMESTAMP"),
      made("odd", "JSON"),
    ];
    const handler = await opened({ payload_columns: [locatedText("ID"), locatedText("block")] }, output);
    play(({ id, block }, index) => ({
      id: `${id}!`,
      block: Number(block) / 4,
      isLarge: index === 0,
      price: index === 0 ? 1.5 : "-20.25",
      time: "2024-01-01T02:00:00.5+02:00",
      odd: { [`k${index}`]: null },
      unknown: 1,
    }));
    expect(await handler.apply(rows("a", "b"))).toEqual({
      count: 2,
      columns: [
        ["a!", "b!"],
        [most, null],
        [1.75, -(2 ** 61)],
        [true, false],
        ["1.5", "-20.25"],
        [null, null],
        [1_704_067_200_500_000n, 1_704_067_200_500_000n],
        ['{"k0":null}', '{"k1":null}'],
      ],
    });
    expect(Object.keys(JSON.parse(server.requests[0]?.body ?? "")[0])).toEqual(["id", "block"]);
  });

  it("gets as many rows a request as the definition says, and keeps their order", async () => {
    const ids = Array.from({ length: 23 }, (_, index) => `r${index}`);
    const handler = await opened({ batch_size: located(5) });
    expect((await handler.apply(rows(...ids))).columns[0]).toEqual(ids);
    expect(
      sentIds()
        .map((list) => list.length)
        .sort(),
    ).toEqual([3, 5, 5, 5, 5]);
    server.clear();
    const single = await opened({ one_row_per_request: located(true) });
    expect((await single.apply(rows("a", "b"))).columns[0]).toEqual(["a", "b"]);
    expect(server.requests.every(({ body }) => body.startsWith("{"))).toBe(true);
  });

  it("refuses a secret that it cannot send", async () => {
    await expect(opened({ secret_name: locatedText("NONE") })).rejects.toThrow(
      "There is no secret NONE. Set the environment variable GRAPHLOOM_SECRET_NONE to its value.",
    );
    const headers = namedValues({ "X-API-KEY": "1" });
    await expect(opened({ secret_name: locatedText("KEY"), headers })).rejects.toThrow(
      'Secret KEY sends the header x-api-key, which "headers" sets as well. Remove it there.',
    );
  });
});

/** Bodies of answers, and what is wrong with them. */
const nonsense = [
  ["", "answered with nothing"],
  ["<html>\u001b", 'answered with no JSON: "<html>\\u001b"'],
  ["null", "answered with no list of rows"],
  ['{"rows":[]}', "answered with no list of rows"],
  ["[]", "answered with 0 rows to 3"],
  ["[{},{}]", "answered with 2 rows to 3"],
  ["[{},{},{},{}]", "answered with 4 rows to 3"],
  ["[{},null,{}]", 'answered with something else than an object for the row with id "b"'],
  [`[${"[".repeat(1_000)}`, "answered with JSON of more than 64 levels"],
  ['[{},{"id":7},{}]', 'answered with "7" as "id", which is of the type STRING for the row with id "b"'],
  [
    '[{"id":null},{},{}]',
    'answered with "null" as "id", which is of the type STRING for the row with id "a"',
  ],
  [
    '[{"block":1.5},{},{}]',
    'answered with "1.5" as "block", which is of the type LONG for the row with id "a"',
  ],
  [
    '[{"block":9007199254740993},{},{}]',
    'answered with "9007199254740992" as "block", which is of the type LONG for the row with id "a"',
  ],
  [
    '[{"block":"9223372036854775808"},{},{}]',
    'answered with "\\"9223372036854775808\\"" as "block", which is of the type LONG for the row with id "a"',
  ],
  [
    '[{},{},{"amount":"0x10"}]',
    'answered with "\\"0x10\\"" as "amount", which is of the type DECIMAL for the row with id "c"',
  ],
  [
    '[{},{},{"at":"yesterday"}]',
    'answered with "\\"yesterday\\"" as "at", which is of the type TIMESTAMP for the row with id "c"',
  ],
  [
    '[{},{},{"topics":[1]}]',
    'answered with "[1]" as "topics", which is of the type ARRAY<STRING> for the row with id "c"',
  ],
] as const;

describe("an answer without success", () => {
  async function failed(
    answer: (request: RecordedRequest) => PlayedAnswer,
    settings: Settings = {},
    own: TransformWorld = world,
  ): Promise<TransformError> {
    server.answer(answer);
    const handler = await opened(settings, input, own);
    const error = (await errorOf(handler.apply(rows("a", "b", "c")))) as TransformError;
    expect(error).toBeInstanceOf(TransformError);
    return error;
  }

  it.each(nonsense)("is refused if it is malformed (%#)", async (body, message) => {
    const error = await failed(() => ({ status: 200, body }));
    expect([error.message, error.isTemporary]).toEqual([`Handler enrich ${message}`, false]);
    expect(server.requests).toHaveLength(1);
  });

  it.each([408, 429, 500, 503])("is requested again with status %d, and later after that", async (status) => {
    const error = await failed(() => ({ status }));
    expect([error.message, error.isTemporary]).toEqual([
      `Handler enrich answered with status ${status}`,
      true,
    ]);
    expect(server.requests).toHaveLength(4);
  });

  it("is not requested again before the time that the handler asks for", async () => {
    const error = await failed(() => ({ status: 429, headers: { "retry-after": "30" } }));
    expect([error.retryAfter, server.requests.length]).toEqual([30_000, 1]);
  });

  it.each([
    ["hangs", "gave no answer: no answer within 5 s", true],
    ["disconnects", "gave no answer: the connection was lost (ECONNRESET)", true],
    ["floods", "gave no answer: the answer is longer than 33554432 bytes", false],
  ] as const)("is given up when the handler %s", async (answer, message, isTemporary) => {
    const own = answer === "hangs" ? hasty : world;
    const error = await failed(() => answer, { timeout_ms: located(5_000) }, own);
    expect([error.message, error.isTemporary]).toEqual([`Handler enrich ${message}`, isTemporary]);
  });

  it("names the row that the handler refuses", async () => {
    const error = await failed(({ body }) =>
      body.includes('"id":"b"') ? { status: 422, body: "b is odd" } : { status: 200, body },
    );
    expect([error.message, error.isTemporary]).toEqual([
      'Handler enrich answered with status 422: b is odd for the row with id "b"',
      false,
    ]);
  });

  it("passes after attempts", async () => {
    let failures = 3;
    server.answer(({ body }) => {
      failures -= 1;
      return failures >= 0 ? { status: 502 } : { status: 200, body };
    });
    const handler = await opened();
    expect((await handler.apply(rows("a"))).columns[0]).toEqual(["a"]);
  });
});

it("a handler stops the sinks that depend on it, and no other", async () => {
  const chain = new PlayedChain(randomOf(1));
  for (let count = 0; count < 8; count += 1) chain.mine();
  const schema = { columns: playedColumns, key: ["id"] };
  const definition = { type: "dataset", name: locatedText("played"), settings: {} } as const;
  const handler = {
    name: "enrich",
    definition: {
      type: "handler",
      name: locatedText("enrich"),
      settings: { url: locatedText(`${server.url}/enrich`) },
    },
    reads: ["played"],
    input: playedColumns,
    schema,
  } as const;
  const sink = (name: string, from: string) => ({
    name,
    from,
    schema,
    definition: { type: "print", name: locatedText(name), settings: {} } as const,
  });
  const run = async (): Promise<readonly (readonly [string, string])[]> => {
    const ends = await runSinks(
      {
        name: "f",
        job: false,
        sources: [{ name: "played", definition, schema }],
        transforms: [handler],
        sinks: [sink("plain", "played"), sink("rich", "enrich")],
        operations: [],
        functions: [],
      },
      {
        ...world,
        out: () => undefined,
        openEngine,
        openSource: () => playedSource(chain),
        clock: { ...clock, random: () => 0 },
      },
      () => undefined,
      new AbortController().signal,
    );
    return [...ends].map(([name, end]) => [name, end.kind === "halted" ? String(end.error) : end.kind]);
  };
  expect(await run()).toEqual([
    ["plain", "ended"],
    ["rich", "ended"],
  ]);
  server.answer(() => ({ status: 200, body: "[]" }));
  expect(await run()).toEqual([
    ["plain", "ended"],
    ["rich", expect.stringMatching(/^TransformError: Handler enrich answered with 0 rows to \d$/)],
  ]);
});
