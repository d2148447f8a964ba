import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Operation } from "../../../src/pipelines/changes/net-changes.js";
import { retryParked } from "../../../src/pipelines/runner/parked-changes.js";
import { Parking } from "../../../src/pipelines/runner/parking.js";
import { runSinks } from "../../../src/pipelines/runner/run-sinks.js";
import type { SinkState } from "../../../src/pipelines/runner/sink-state.js";
import type { PlannedSinkOf, SinkWorld } from "../../../src/pipelines/sinks/opening.js";
import { RowError, type Sink } from "../../../src/pipelines/sinks/sink.js";
import { webhookAccess } from "../../../src/pipelines/sinks/webhook/open-webhook.js";
import type { WebhookShape } from "../../../src/pipelines/sinks/webhook/shape.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import { SinkError } from "../../../src/pipelines/state/sink-error.js";
import { testFolder } from "../../support/folder.js";
import { expectLaw, type LawfulSink } from "../../support/pipelines/expect-law.js";
import { expectLawOfKilled } from "../../support/pipelines/law/expect-killed.js";
import { ledgersOfState } from "../../support/pipelines/law/kept-ledgers.js";
import {
  type LawDefinition,
  type LawRow,
  openEngine,
  sinkDefinition,
} from "../../support/pipelines/law-pipeline.js";
import { located, locatedText, namedValues } from "../../support/pipelines/located.js";
import { PlayedChain, playedColumns, playedSource } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";
import {
  type PlayedAnswer,
  type RecordedRequest,
  type RecordingServer,
  startRecordingServer,
} from "../../support/pipelines/recording-server.js";
import { interruptedWorld, sinkWorld } from "../../support/pipelines/sink-world.js";

let receiver: RecordingServer;
beforeAll(async () => {
  receiver = await startRecordingServer();
});
beforeEach(() => {
  receiver.clear();
  receiver.answer(() => ({ status: 204 }));
});
afterAll(() => receiver.stop());

const schema = {
  columns: [
    { name: "id", type: "STRING", nullable: false },
    { name: "amount", type: "DECIMAL", nullable: true },
    { name: "block", type: "LONG", nullable: false },
    { name: "at", type: "TIMESTAMP", nullable: true },
    { name: "more", type: "JSON", nullable: true },
  ],
  key: ["id"],
} as const;

type Settings = PlannedSinkOf<WebhookShape>["definition"]["settings"];

function planned(settings: Settings): PlannedSinkOf<WebhookShape> {
  return {
    name: "hook",
    definition: {
      type: "webhook",
      name: locatedText("hook"),
      settings: { url: locatedText(`${receiver.url}/hook`), batch_size: located(1), ...settings },
    },
    from: "rows",
    schema,
  };
}

function opened(world: SinkWorld, settings: Settings = {}): Promise<Sink> {
  return webhookAccess.open(planned(settings), { flow: "f", sources: ["chain"] }, world);
}

/** A batch of a block; a change is its operation and its id. */
function batch(number: number, ...changes: readonly `${Operation} ${string}`[]): SinkBatch {
  const ids = changes.map((change) => change.slice(2));
  const rows = {
    count: ids.length,
    columns: [
      ids,
      ids.map(() => "115792089237316195423570985008687907853269984665640564039457584007913129639935"),
      ids.map((_, index) => (index === 1 ? 2n ** 62n : BigInt(number))),
      ids.map((_, index) => (index === 0 ? 1_700_000_000_250_000n : null)),
      ids.map((_, index) => (index === 0 ? '{"big":12345678901234567890}' : "not JSON")),
    ],
  };
  return {
    source: "chain",
    from: number,
    to: number,
    changes: { schema, operations: changes.map(([op]) => op as Operation), rows, overwritten: 0 },
    position: { next: number + 1, open: [] },
    ledger: { from: number, to: number, rows: ids.length, sum: 0n },
  };
}

interface Envelope {
  readonly id: string;
  readonly sequence: number;
  readonly op: Operation;
  readonly row: { readonly id: string };
}

/** The envelopes of each request. */
function envelopes(): readonly (readonly Envelope[])[] {
  return receiver.requests.map(({ body }) => [JSON.parse(body)].flat());
}

/** `i a` for each change of each request. */
function received(): readonly (readonly string[])[] {
  return envelopes().map((list) => list.map(({ op, row }) => `${op} ${row.id}`));
}

async function errorOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => expect.unreachable("it succeeded"),
    (error: Error) => error,
  );
}

describe("a replay", () => {
  it("is marked, with its own new numbers and ids, which stay the same after a crash", async () => {
    const folder = testFolder();
    const first = await opened(sinkWorld({ folder }));
    await first.write(batch(7, "i a"));
    receiver.answer(() => "disconnects");
    const replayed = { ...batch(7, "i a"), from: 8, to: 7, ledger: undefined, isReplay: true };
    await expect(first.write(replayed)).rejects.toThrow();
    await first.close();
    receiver.answer(() => ({ status: 204 }));
    const second = await opened(sinkWorld({ folder }));
    for (const owed of second.unfinished ?? []) await second.write(owed);
    await second.write(replayed);
    await second.write(batch(8, "i b"));
    await second.close();
    const all = receiver.requests.map(({ body }) => JSON.parse(body)[0]);
    const [original, after] = [all[0], all.at(-1)];
    const again = all.slice(1, -1);
    const state = String(original.id).replace(/-1$/, "");
    expect(original).not.toHaveProperty("replay");
    expect(new Set(again.map(({ sequence }) => sequence))).toEqual(new Set([2, 3]));
    for (const { sequence, ...rest } of again) {
      const { id, ...others } = rest;
      expect(id).toMatch(new RegExp(`^${state}-replay-[0-9a-f]{32}$`));
      expect([id, others]).toEqual([again[0].id, { op: "i", replay: true, row: original.row }]);
    }
    expect(after).toMatchObject({ id: `${state}-4`, sequence: 4 });
    expect(after).not.toHaveProperty("replay");
  });
});

describe("a request to a webhook", () => {
  it("is a list of changes, each in an envelope with an id that grows", async () => {
    const sink = await opened(sinkWorld({ folder: testFolder() }), { batch_size: located(2) });
    await sink.write(batch(7, "i a", "d b"));
    await sink.close();
    const [{ method, path, headers, body } = expect.unreachable()] = receiver.requests;
    const id = String(headers["idempotency-key"]).replace(/-1$/, "");
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect({ method, path, type: headers["content-type"] }).toEqual({
      method: "POST",
      path: "/hook",
      type: "application/json",
    });
    const big = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    expect(body).toBe(
      `[{"id":"${id}-1","sequence":1,"op":"i","row":{"id":"a","amount":"${big}","block":7,"at":"2023-11-14T22:13:20.250000Z","more":{"big":12345678901234567890}}},` +
        `{"id":"${id}-2","sequence":2,"op":"d","row":{"id":"b","amount":"${big}","block":"4611686018427387904","at":null,"more":"not JSON"}}]`,
    );
  });

  it("is one change for each request, if the definition says so", async () => {
    const sink = await opened(sinkWorld({ folder: testFolder() }), { one_row_per_request: located(true) });
    await sink.write(batch(1, "i a", "u b"));
    await sink.close();
    expect(receiver.requests.map(({ body }) => body.startsWith("{"))).toEqual([true, true]);
    expect(received()).toEqual([["i a"], ["u b"]]);
    const keys = receiver.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual(envelopes().map(([one]) => one?.id));
  });

  it("has the headers of the definition and of the secret", async () => {
    const secrets = {
      JSON: '{"type":"httpauth","secretKey":"X-Api-Key","secretValue":"s3cret-s3cret"}',
      TEXT: "authorization: Bearer abc",
      WRONG: "abc",
    };
    const world = sinkWorld({ folder: testFolder(), secrets });
    const headers = namedValues({ "x-team": "data", "x-api-key": "mine" });
    for (const name of ["JSON", "TEXT"]) {
      const sink = await opened(world, { secret_name: locatedText(name), headers: headers.slice(0, 1) });
      await sink.write(batch(1, "i a"));
      await sink.close();
    }
    expect(
      receiver.requests.map(({ headers: sent }) => [sent["x-team"], sent["x-api-key"], sent.authorization]),
    ).toEqual([
      ["data", "s3cret-s3cret", undefined],
      ["data", undefined, "Bearer abc"],
    ]);
    const refusals = [
      [
        { secret_name: locatedText("JSON"), headers },
        'Secret JSON sends the header X-Api-Key, which "headers" sets as well.',
      ],
      [{ secret_name: locatedText("WRONG") }, "Secret WRONG is not of the type httpauth."],
      [{ secret_name: locatedText("NONE") }, "There is no secret NONE."],
    ] as const;
    for (const [settings, message] of refusals)
      await expect(opened(world, settings)).rejects.toThrow(message);
  });
});

/** A clock whose times end when the test says so. */
function handClock(): { readonly clock: SinkWorld["clock"]; strike(): void; readonly asked: number[] } {
  let timers: AbortController[] = [];
  const asked: number[] = [];
  return {
    asked,
    clock: {
      now: () => 0,
      timeout: (milliseconds) => {
        const timer = new AbortController();
        timers.push(timer);
        asked.push(milliseconds);
        return timer.signal;
      },
    },
    strike: () => {
      for (const timer of timers) timer.abort();
      timers = [];
    },
  };
}

describe("rows that wait for more rows", () => {
  const settings = { batch_size: located(3), batch_flush_interval: located(250) };

  it("are sent when there are enough, or after a time limit", async () => {
    const { clock, strike, asked } = handClock();
    const sink = await opened(sinkWorld({ folder: testFolder(), clock }), settings);
    await sink.write(batch(1, "i a"));
    await sink.write(batch(2, "i b"));
    expect(received()).toEqual([]);
    expect(asked).toEqual([250]);
    await sink.write(batch(3, "i c", "i d"));
    expect(received()).toEqual([["i a", "i b", "i c"], ["i d"]]);
    await sink.write(batch(4, "i e"));
    strike();
    await expect.poll(received).toHaveLength(3);
    await sink.write(batch(5, "i f"));
    await sink.end?.("chain", 6);
    expect(received().slice(2)).toEqual([["i e"], ["i f"]]);
    await sink.close();
  });

  it("count as unread until they have arrived", async () => {
    const folder = testFolder();
    const { clock } = handClock();
    const sink = await opened(sinkWorld({ folder, clock }), settings);
    await sink.write(batch(1, "i a", "i b", "i c"));
    await sink.write(batch(2, "i d"));
    await sink.close();
    const again = await opened(sinkWorld({ folder, clock }), settings);
    expect(again.positions.get("chain")?.next).toBe(2);
    expect(again.unfinished).toEqual([]);
    await again.close();
  });

  it("fail the sink when they cannot be sent", async () => {
    const { clock, strike } = handClock();
    const sink = await opened(sinkWorld({ folder: testFolder(), clock }), settings);
    receiver.answer(() => ({ status: 500 }));
    await sink.write(batch(1, "i a"));
    strike();
    await expect(sink.failure).rejects.toThrow("The receiver answered with status 500");
    await expect(sink.write(batch(2, "i b"))).rejects.toThrow("The receiver answered with status 500");
    await sink.close();
    expect(received()).toEqual([["i a"]]);
  });
});

describe("an answer without success", () => {
  const secrets = { KEY: "x-api-key: s3cret-s3cret" };

  async function failed(answer: Parameters<RecordingServer["answer"]>[0]): Promise<SinkError> {
    receiver.answer(answer);
    const world = sinkWorld({ folder: testFolder(), secrets, timeout: 300 });
    const sink = await opened(world, { secret_name: locatedText("KEY") });
    const error = await errorOf(sink.write(batch(1, "i a")));
    await sink.close();
    expect(error).toBeInstanceOf(SinkError);
    return error as SinkError;
  }

  it.each([408, 425, 429, 500, 503])("is temporary with status %d", async (status) => {
    const error = await failed(() => ({ status, headers: { "retry-after": "7" } }));
    expect([error.isTemporary, error.retryAfter]).toEqual([true, 7_000]);
  });

  it.each([401, 403, 404, 410])("is permanent with status %d", async (status) => {
    const error = await failed(() => ({ status, body: "no\u001b[31m such hook" }));
    expect(error.isTemporary).toBe(false);
    expect(error.message).toBe(`The receiver answered with status ${status}: no\\u001b[31m such hook`);
  });

  it("is reported in a few words, without the secret", async () => {
    const error = await failed(({ headers }) => ({
      status: 401,
      body: `unknown key ${String(headers["x-api-key"])} ${"x".repeat(1_000_000)}`,
    }));
    expect(error.message).toMatch(/^The receiver answered with status 401: unknown key … x+…$/);
    expect(error.message.length).toBeLessThan(600);
  });

  it("is permanent if it redirects", async () => {
    const error = await failed(() => ({ status: 307, headers: { location: `${receiver.url}/other` } }));
    expect(error.isTemporary).toBe(false);
    expect(error.message).toBe("The receiver answered with status 307, which leads to another address");
    expect(receiver.requests.map(({ path }) => path)).toEqual(["/hook"]);
  });

  it.each([
    ["hangs", "The receiver gave no answer: no answer within 30 s"],
    ["disconnects", "The receiver gave no answer: the connection was lost (ECONNRESET)"],
  ] as const)("is temporary if the receiver %s", async (answer, message) => {
    const error = await failed(() => answer);
    expect([error.isTemporary, error.message]).toEqual([true, message]);
  });

  it("may be endless", async () => {
    receiver.answer(() => "floods");
    const sink = await opened(sinkWorld({ folder: testFolder() }));
    await sink.write(batch(1, "i a"));
    await sink.close();
    expect(received()).toEqual([["i a"]]);
  });
});

describe("a row that the receiver refuses", () => {
  const settings = { batch_size: located(100) };
  const refuseC = (): void =>
    receiver.answer(({ body }) =>
      body.includes('"id":"c"') ? { status: 422, body: "c is no good" } : { status: 200 },
    );

  it("is found, and later rows wait", async () => {
    refuseC();
    const sink = await opened(sinkWorld({ folder: testFolder() }), { ...settings, batch_size: located(5) });
    const error = await errorOf(sink.write(batch(1, "i a", "i b", "i c", "i d", "i e")));
    expect(error).toBeInstanceOf(RowError);
    expect(error).toMatchObject({
      rows: [2],
      message: "The receiver answered with status 422: c is no good",
    });
    await sink.close();
    expect(received().at(-1)).toEqual(["i c"]);
  });

  it("is parked, and all others arrive once, with numbers of their own", async () => {
    const folder = testFolder();
    refuseC();
    const parks = { ...settings, batch_size: located(1), on_error: locatedText("park") };
    const sink = await opened(sinkWorld({ folder }), parks);
    const parking = new Parking(sink, schema, { parks: true, now: () => 5 });
    await parking.write(batch(1, "i a", "i b", "i c", "i d"));
    await parking.write(batch(2, "u c", "i e"));
    await sink.close();
    expect(envelopes().map(([one]) => [one?.row.id, one?.sequence])).toEqual([
      ["a", 1],
      ["b", 2],
      ["c", 3],
      ["d", 4],
      ["e", 5],
    ]);
    receiver.answer(() => ({ status: 200 }));
    receiver.clear();
    const again = await opened(sinkWorld({ folder }), parks);
    expect(again.positions.get("chain")?.next).toBe(3);
    expect(again.parked?.map(({ operation, reason }) => [operation, reason])).toEqual([
      ["i", "The receiver answered with status 422: c is no good"],
      ["u", undefined],
    ]);
    await retryParked(again, schema, { isChosen: () => true, now: () => 6 });
    await again.close();
    expect(received()).toEqual([["i c"], ["u c"]]);
  });

  it("is offered again by the next run, before anything else", async () => {
    const folder = testFolder();
    refuseC();
    const sink = await opened(sinkWorld({ folder }), { ...settings, batch_size: located(2) });
    await errorOf(sink.write(batch(1, "i a", "i b", "i c", "i d")));
    await sink.close();
    const before = envelopes().flat();
    receiver.clear();
    receiver.answer(() => ({ status: 200 }));
    const again = await opened(sinkWorld({ folder }), settings);
    expect(again.positions.get("chain")?.next).toBe(2);
    for (const unfinished of again.unfinished ?? []) await again.write(unfinished);
    await again.close();
    expect(received()).toEqual([["i c", "i d"]]);
    for (const { id, sequence, row } of envelopes().flat())
      expect(before.find((one) => one.row.id === row.id)).toMatchObject({ id, sequence });
    const third = await opened(sinkWorld({ folder }), settings);
    expect([third.positions.get("chain")?.next, third.unfinished]).toEqual([2, []]);
    await third.close();
  });
});

it("a webhook sink waits at least as long as the receiver asks before it retries", async () => {
  const chain = new PlayedChain(randomOf(1));
  for (let count = 0; count < 5; count += 1) chain.mine();
  receiver.answer(() => ({ status: 503, headers: { "retry-after": "90000" } }));
  const source = {
    name: "played",
    definition: { type: "dataset", name: locatedText("played"), settings: {} },
    schema: { columns: playedColumns, key: ["id"] },
  } as const;
  const sink = { ...planned({}), from: "played", schema: source.schema };
  const plan = { name: "f", job: false, sources: [source], transforms: [], sinks: [sink] };
  const states: SinkState[] = [];
  const ends = await runSinks(
    { ...plan, operations: [], functions: [] },
    {
      ...sinkWorld({ folder: testFolder() }),
      openEngine,
      openScript: async () => {
        throw new Error("there is no script");
      },
      openSource: () => playedSource(chain),
      clock: { now: () => 0, random: () => 0, timeout: () => AbortSignal.timeout(0) },
    },
    (_, state) => {
      states.push(state);
      if (state.kind === "stalled") receiver.answer(() => ({ status: 200 }));
    },
    new AbortController().signal,
  );
  expect(states.filter(({ kind }) => kind === "stalled")).toEqual([
    expect.objectContaining({ why: "The receiver answered with status 503", wait: 3_600_000 }),
  ]);
  expect(ends.get("hook")?.kind).toBe("ended");
  expect(received()[0]).toEqual(received()[1]);
  const ids = new Set(envelopes().flatMap((list) => list.map(({ row }) => row.id)));
  expect(ids).toEqual(new Set(chain.rows.map(({ id }) => id)));
});

/** A receiver that keeps rows by key and drops what it has had, as the manual says. It fails sometimes. */
function playReceiver(): {
  readonly rows: ReadonlyMap<string, LawRow>;
  readonly repeats: () => number;
  readonly answer: (request: RecordedRequest) => PlayedAnswer;
} {
  const rows = new Map<string, LawRow>();
  const texts = new Map<string, string>();
  const random = randomOf(1);
  let highest = 0;
  let repeats = 0;
  const take = (list: readonly (Envelope & { readonly row: LawRow })[]): void => {
    for (const envelope of list) {
      const { id, sequence, op, row } = envelope;
      const text = JSON.stringify(envelope);
      expect(texts.get(id) ?? text).toBe(text);
      texts.set(id, text);
      if (sequence <= highest) {
        repeats += 1;
        continue;
      }
      expect(sequence).toBe(highest + 1);
      highest = sequence;
      expect(rows.has(row.id), `${op} ${row.id}`).toBe(op !== "i");
      if (op === "d") rows.delete(row.id);
      else rows.set(row.id, { ...row, block_number: String(row.block_number) });
    }
  };
  const answer = ({ body }: RecordedRequest): PlayedAnswer => {
    const moment = random();
    if (moment < 0.05) return { status: 503 };
    try {
      take(JSON.parse(body));
    } catch (error) {
      return { status: 404, body: String(error) };
    }
    return moment < 0.1 ? "disconnects" : { status: 200 };
  };
  return { rows, repeats: () => repeats, answer };
}

it("a webhook sink holds the rows of the query at a receiver that drops repeats, after any interruptions", {
  tags: "law",
}, async () => {
  let played = playReceiver();
  receiver.answer((request) => played.answer(request));
  let folder = testFolder();
  let repeats = 0;
  const subject: LawfulSink = {
    empty: async () => {
      repeats += played.repeats();
      receiver.clear();
      played = playReceiver();
      folder = testFolder();
    },
    open: ({ sink, owner }, cut) => {
      const definition = sinkDefinition(lawful());
      const here = { ...sink, definition } as PlannedSinkOf<WebhookShape>;
      return webhookAccess.open(here, owner, interruptedWorld(sinkWorld({ folder }), cut));
    },
    rows: async () => [...played.rows.values()],
    ledger: () => ledgersOfState(folder, `${receiver.url}/hook`),
  };
  await expectLaw(subject);
  expect(repeats + played.repeats()).toBeGreaterThan(0);
});

it("a webhook sink holds the rows of the query at a receiver that drops repeats, after its sender was killed", {
  tags: "law",
}, async () => {
  const played = new Map<string, ReturnType<typeof playReceiver>>();
  receiver.answer((request) => played.get(request.path)?.answer(request) ?? { status: 404 });
  await expectLawOfKilled(async (slot) => {
    receiver.clear();
    const path = `/hook-${slot}`;
    const own = playReceiver();
    played.set(path, own);
    const folder = testFolder();
    return {
      definition: lawful(path),
      secrets: {},
      folder,
      rows: async () => [...own.rows.values()],
      ledger: () => ledgersOfState(folder, `${receiver.url}${path}`),
    };
  });
});

/** Several requests for most batches. */
function lawful(path = "/hook"): LawDefinition {
  return { type: "webhook", settings: { url: `${receiver.url}${path}`, batch_size: 9 } };
}
