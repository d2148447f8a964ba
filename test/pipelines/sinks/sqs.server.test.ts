import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PlannedSinkOf, SinkWorld } from "../../../src/pipelines/sinks/opening.js";
import { RowError, type Sink } from "../../../src/pipelines/sinks/sink.js";
import { sqsAccess } from "../../../src/pipelines/sinks/sqs/open-sqs.js";
import type { SqsShape } from "../../../src/pipelines/sinks/sqs/shape.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import type { SinkError } from "../../../src/pipelines/state/sink-error.js";
import { testFolder } from "../../support/folder.js";
import { isSigned } from "../../support/pipelines/check-signature.js";
import { expectLaw } from "../../support/pipelines/expect-law.js";
import { errorOf, keyedBatch, keyedSchema } from "../../support/pipelines/keyed-batch.js";
import { isLawCampaign } from "../../support/pipelines/law/each-seed.js";
import { expectLawOfKilled } from "../../support/pipelines/law/expect-killed.js";
import { ledgersOfState } from "../../support/pipelines/law/kept-ledgers.js";
import { type LawDefinition, sinkDefinition } from "../../support/pipelines/law-pipeline.js";
import { locatedText } from "../../support/pipelines/located.js";
import { PlayedQueue } from "../../support/pipelines/played-queue.js";
import { randomOf } from "../../support/pipelines/random.js";
import {
  type PlayedAnswer,
  type RecordedRequest,
  type RecordingServer,
  startRecordingServer,
} from "../../support/pipelines/recording-server.js";
import { interruptedWorld, sinkWorld } from "../../support/pipelines/sink-world.js";

let server: RecordingServer;
beforeAll(async () => {
  server = await startRecordingServer();
});
beforeEach(() => {
  server.clear();
  server.answer((request) => takeAll(request));
});
afterAll(() => server.stop());

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
}

const secrets = {
  QUEUE: '{"type":"sqs","accessKey":"AKIDEXAMPLE","secretAccessKey":"wJalrXUtnFEMI","region":"eu-west-1"}',
  TEXT: "AKIDEXAMPLE:wJalrXUtnFEMI:session-token",
  WRONG: "AKIDEXAMPLE",
};

/** A queue that checks signatures, and takes messages but for those that a test names. */
function takeAll(request: RecordedRequest, failed: Readonly<Record<string, object>> = {}): PlayedAnswer {
  if (!isSigned(request, "wJalrXUtnFEMI", { service: "sqs", region: "eu-west-1" }))
    return {
      status: 403,
      body: '{"__type":"com.amazon.coral.service#InvalidSignatureException","message":"wrong"}',
    };
  const entries = entriesOf(request);
  const fails = ({ MessageBody }: Entry): object | undefined => failed[JSON.parse(MessageBody).row.id];
  return {
    status: 200,
    body: JSON.stringify({
      Successful: entries.filter((entry) => !fails(entry)).map(({ Id }) => ({ Id, MessageId: `m-${Id}` })),
      Failed: entries.flatMap((entry) => (fails(entry) ? [{ Id: entry.Id, ...fails(entry) }] : [])),
    }),
  };
}

function entriesOf({ body }: RecordedRequest): readonly Entry[] {
  return JSON.parse(body).Entries;
}

/** The ids of the rows of each request. */
function sent(): readonly (readonly string[])[] {
  return server.requests.map((request) =>
    entriesOf(request).map(({ MessageBody }) => JSON.parse(MessageBody).row.id),
  );
}

interface Chosen {
  readonly queue?: string;
  readonly secret?: string;
  readonly region?: string;
}

function opened(
  world: SinkWorld,
  { queue = "events", secret = "QUEUE", region }: Chosen = {},
): Promise<Sink> {
  const planned: PlannedSinkOf<SqsShape> = {
    name: "queue",
    definition: {
      type: "sqs_sink",
      name: locatedText("queue"),
      settings: {
        queue_url: locatedText(`${server.url}/123456789012/${queue}`),
        secret_name: locatedText(secret),
        ...(region !== undefined && { region: locatedText(region) }),
      },
    },
    from: "rows",
    schema: keyedSchema,
  };
  return sqsAccess.open(planned, { flow: "f", sources: ["chain"] }, world);
}

/** Sends a batch through a sink of its own. */
async function send(batch: SinkBatch, chosen: Chosen = {}): Promise<void> {
  const sink = await opened(sinkWorld({ folder: testFolder(), secrets, clock }), chosen);
  try {
    await sink.write(batch);
    await sink.end?.("chain", 0);
  } finally {
    await sink.close();
  }
}

/** Nobody waits between attempts. */
const clock: SinkWorld["clock"] = { now: () => Date.now(), timeout: () => AbortSignal.timeout(0) };

const letters = [..."abcdefghijkl"];

it("an SQS sink sends ten messages a request, signed", async () => {
  await send(keyedBatch(7, ...letters.map((letter) => `i ${letter}` as const)));
  expect(sent().map((ids) => ids.join(""))).toEqual(["abcdefghij", "kl"]);
  const [{ method, path, headers, body } = expect.unreachable()] = server.requests;
  expect({ method, path, type: headers["content-type"], target: headers["x-amz-target"] }).toEqual({
    method: "POST",
    path: "/",
    type: "application/x-amz-json-1.0",
    target: "AmazonSQS.SendMessageBatch",
  });
  const { QueueUrl, Entries } = JSON.parse(body);
  expect(QueueUrl).toBe(`${server.url}/123456789012/events`);
  expect(Entries[1]).toEqual({
    Id: "1",
    MessageBody: expect.stringMatching(
      /^\{"id":"[0-9a-f-]{36}-2","sequence":2,"op":"i","row":\{"id":"b","block":7\}\}$/,
    ),
  });
});

it("an SQS sink takes secrets of both forms, and a region", async () => {
  await send(keyedBatch(1, "i a"), { secret: "TEXT", region: "eu-west-1" });
  expect(server.requests[0]?.headers["x-amz-security-token"]).toBe("session-token");
  await expect(send(keyedBatch(1, "i a"), { secret: "TEXT" })).rejects.toThrow(
    "The region of the queue is unknown.",
  );
  await expect(send(keyedBatch(1, "i a"), { secret: "WRONG" })).rejects.toThrow(
    "Secret WRONG is not a key of a queue.",
  );
  const error = (await errorOf(send(keyedBatch(1, "i a"), { region: "us-east-1" }))) as SinkError;
  expect([error.isTemporary, error.message]).toEqual([
    false,
    'The queue answered with status 403: {"__type":"com.amazon.coral.service#InvalidSignatureException","message":"wrong"}',
  ]);
});

it("an SQS sink groups messages of a FIFO queue by key, and sends one message of a group in each request", async () => {
  const sink = await opened(sinkWorld({ folder: testFolder(), secrets, clock }), { queue: "events.fifo" });
  await sink.write(keyedBatch(1, "i a", "i b ö", "i c"));
  await sink.write(keyedBatch(2, "d a", "u c"));
  await sink.end?.("chain", 0);
  await sink.close();
  expect(sent()).toEqual([
    ["a", "b ö", "c"],
    ["a", "c"],
  ]);
  const entries = server.requests.flatMap(entriesOf);
  const groups = entries.map(({ MessageGroupId }) => MessageGroupId);
  expect(groups).toEqual(["a", expect.stringMatching(/^[0-9a-f]{64}$/), "c", "a", "c"]);
  const ids = entries.map(({ MessageBody }) => JSON.parse(MessageBody).id);
  expect(entries.map(({ MessageDeduplicationId }) => MessageDeduplicationId)).toEqual(ids);
});

describe("a message that the queue has not accepted", () => {
  it("is sent again without the others", async () => {
    let failures = 2;
    server.answer((request) => {
      failures -= 1;
      return takeAll(request, failures >= 0 ? { b: { SenderFault: false, Code: "InternalError" } } : {});
    });
    await send(keyedBatch(1, "i a", "i b", "i c"));
    expect(sent()).toEqual([["a", "b", "c"], ["b"], ["b"]]);
    const bodies = new Set(server.requests.flatMap(entriesOf).map(({ MessageBody }) => MessageBody));
    expect(bodies.size).toBe(3);
  });

  it("fails the sink for a while after some attempts", async () => {
    server.answer((request) =>
      takeAll(request, { b: { SenderFault: false, Code: "InternalError", Message: "busy" } }),
    );
    const error = (await errorOf(send(keyedBatch(1, "i a", "i b")))) as SinkError;
    expect([error.isTemporary, error.message]).toEqual([
      true,
      "The queue has not taken a message: InternalError: busy",
    ]);
    expect(sent()).toEqual([["a", "b"], ["b"], ["b"], ["b"]]);
  });

  it("is a row that does not fit if the message itself is at fault", async () => {
    server.answer((request) =>
      takeAll(request, { b: { SenderFault: true, Code: "InvalidMessageContents", Message: "odd" } }),
    );
    const error = (await errorOf(send(keyedBatch(1, "i a", "i b")))) as RowError;
    expect(error).toBeInstanceOf(RowError);
    expect([error.rows, error.message]).toEqual([
      [1],
      "The queue refuses a message: InvalidMessageContents: odd",
    ]);
  });

  it("is refused before it is sent if it is too large", async () => {
    const error = (await errorOf(send(keyedBatch(1, "i a", `i ${"x".repeat(300_000)}`, "i c")))) as RowError;
    expect([error.rows, sent()]).toEqual([[1], [["a"]]]);
  });
});

it("an SQS sink splits requests by bytes", async () => {
  const wide = (letter: string): `i ${string}` => `i ${letter.repeat(100_000)}`;
  await send(keyedBatch(1, wide("a"), wide("b"), wide("c"), wide("d"), wide("e")));
  expect(sent().map((ids) => ids.length)).toEqual([2, 2, 1]);
});

it.each([
  ["is no JSON", "<html>"],
  ["says too little", '{"Successful":[{"Id":"0"}]}'],
  ["says something twice", '{"Successful":[{"Id":"0"},{"Id":"0"}]}'],
  ["says something else", '{"Successful":7,"Failed":null}'],
])("an SQS sink does not count an answer that %s as success", async (_, body) => {
  server.answer(() => ({ status: 200, body }));
  const error = (await errorOf(send(keyedBatch(1, "i a", "i b")))) as SinkError;
  expect([error.isTemporary, error.message]).toEqual([
    true,
    "The queue has not said what became of each message",
  ]);
});

it.each([
  [400, "RequestThrottled", true],
  [403, "OverLimit", true],
  [400, "QueueDoesNotExist", false],
])("an SQS sink knows status %d with %s", async (status, type, isTemporary) => {
  server.answer(() => ({ status, body: `{"__type":"com.amazonaws.sqs#${type}","message":"x"}` }));
  expect(((await errorOf(send(keyedBatch(1, "i a")))) as SinkError).isTemporary).toBe(isTemporary);
});

describe("a FIFO queue that fails sometimes", () => {
  let queue = new PlayedQueue();
  let repeats = 0;
  const url = (): string => `${server.url}/123456789012/law.fifo`;
  const lawful = (): LawDefinition => ({
    type: "sqs_sink",
    settings: { queue_url: url(), secret_name: "QUEUE", batch_size: 9 },
  });

  beforeEach(() => {
    const random = randomOf(3);
    repeats = 0;
    server.answer((request) => {
      const moment = random();
      if (moment < 0.02) return { status: 503 };
      const answer = queue.answer(request, () => random() < 0.005);
      return moment < 0.04 ? "disconnects" : answer;
    });
  });

  /** An empty queue, and a folder for the state. */
  function emptied(): string {
    repeats += queue.repeats;
    server.clear();
    queue = new PlayedQueue();
    return testFolder();
  }

  it("gets the rows of the query after any interruptions", { tags: "law" }, async () => {
    let folder = "";
    await expectLaw({
      empty: async () => {
        folder = emptied();
      },
      open: ({ sink, owner }, cut) => {
        const world = interruptedWorld(sinkWorld({ folder, secrets, clock }), cut);
        const here = { ...sink, definition: sinkDefinition(lawful()) } as PlannedSinkOf<SqsShape>;
        return sqsAccess.open(here, owner, world);
      },
      rows: async () => queue.rows,
      ledger: () => ledgersOfState(folder, url()),
    });
    expect(repeats + queue.repeats).toBeGreaterThan(0);
  });

  it.runIf(isLawCampaign)(
    "gets the rows of the query after the sending process was killed",
    { tags: "law" },
    async () => {
      await expectLawOfKilled(
        async () => {
          const folder = emptied();
          return {
            definition: lawful(),
            secrets,
            folder,
            rows: async () => queue.rows,
            ledger: () => ledgersOfState(folder, url()),
          };
        },
        undefined,
        1,
      );
    },
  );
});
