import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { elasticsearchAccess } from "../../../src/pipelines/sinks/elasticsearch/open-elasticsearch.js";
import type { ElasticsearchShape } from "../../../src/pipelines/sinks/elasticsearch/shape.js";
import type { PlannedSinkOf } from "../../../src/pipelines/sinks/opening.js";
import type { RowError, Sink } from "../../../src/pipelines/sinks/sink.js";
import type { SinkError } from "../../../src/pipelines/state/sink-error.js";
import { testFolder } from "../../support/folder.js";
import { expectLaw } from "../../support/pipelines/expect-law.js";
import { errorOf, keyedBatch, keyedSchema } from "../../support/pipelines/keyed-batch.js";
import { isLawCampaign } from "../../support/pipelines/law/each-seed.js";
import { expectLawOfKilled } from "../../support/pipelines/law/expect-killed.js";
import { ledgersOfState } from "../../support/pipelines/law/kept-ledgers.js";
import { type LawDefinition, type LawRow, sinkDefinition } from "../../support/pipelines/law-pipeline.js";
import { located, locatedText } from "../../support/pipelines/located.js";
import { PlayedSearch } from "../../support/pipelines/played-search.js";
import { randomOf } from "../../support/pipelines/random.js";
import { type RecordingServer, startRecordingServer } from "../../support/pipelines/recording-server.js";
import { interruptedWorld, sinkWorld } from "../../support/pipelines/sink-world.js";

let server: RecordingServer;
let search: PlayedSearch;
beforeAll(async () => {
  server = await startRecordingServer();
});
beforeEach(() => {
  server.clear();
  search = new PlayedSearch();
  server.answer((request) => search.answer(request));
});
afterAll(() => server.stop());

const secrets = (): Readonly<Record<string, string>> => ({
  SEARCH: server.url.replace("//", "//user:pass-pass@"),
  JSON: JSON.stringify({ type: "elasticSearch", host: server.url, username: "user", password: "pass-pass" }),
});

function planned(secret = "SEARCH", batchSize = 100): PlannedSinkOf<ElasticsearchShape> {
  return {
    name: "docs",
    definition: {
      type: "elasticsearch",
      name: locatedText("docs"),
      settings: {
        index: locatedText("transfers"),
        secret_name: locatedText(secret),
        batch_size: located(batchSize),
      },
    },
    from: "rows",
    schema: keyedSchema,
  };
}

function opened(folder: string, secret?: string): Promise<Sink> {
  const world = sinkWorld({ folder, secrets: secrets() });
  return elasticsearchAccess.open(planned(secret), { flow: "f", sources: ["chain"] }, world);
}

/** Writes batches and what waits. */
async function write(sink: Sink, ...batches: readonly ReturnType<typeof keyedBatch>[]): Promise<void> {
  for (const batch of batches) await sink.write(batch);
  await sink.end?.("chain", 0);
}

it("an Elasticsearch sink writes documents in one bulk request, under their keys and with versions that grow", async () => {
  const sink = await opened(testFolder());
  const long = "x".repeat(600);
  await write(sink, keyedBatch(7, "i a", "u b"), keyedBatch(8, "d a", `i ${long}`));
  await sink.close();
  const { method, path, headers, body } = server.requests.at(-1) ?? expect.unreachable();
  expect([method, path, headers["content-type"]]).toEqual(["POST", "/_bulk", "application/x-ndjson"]);
  expect(headers.authorization).toBe(`Basic ${btoa("user:pass-pass")}`);
  const about = (id: string, version: number): object => ({
    _index: "transfers",
    _id: id,
    version,
    version_type: "external",
  });
  const lines = body.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { index: about("a", 1) },
    { id: "a", block: 7 },
    { index: about("b", 2) },
    { id: "b", block: 7 },
    { delete: about("a", 3) },
    { index: about(expect.stringMatching(/^[0-9a-f]{64}$/) as string, 4) },
    { id: long, block: 8 },
  ]);
  expect(search.rows).toHaveLength(2);
});

it("an Elasticsearch sink reads secrets of both forms, and refuses others", async () => {
  await (await opened(testFolder(), "JSON")).close();
  expect(server.requests[0]?.headers.authorization).toBe(`Basic ${btoa("user:pass-pass")}`);
  await expect(opened(testFolder(), "NONE")).rejects.toThrow("There is no secret NONE.");
});

it("an Elasticsearch sink refuses an index with foreign documents", async () => {
  search.documents.set("other", { version: 1, source: "{}" });
  const folder = testFolder();
  await expect(opened(folder)).rejects.toThrow(
    "Index transfers holds documents that this pipeline has not written. Choose another index, or delete it.",
  );
  search.documents.clear();
  await (await opened(folder)).close();
});

describe("an item that fails", () => {
  async function failing(fault: { readonly status: number; readonly reason: string }): Promise<Error> {
    search.fault = (id) => {
      const error = { type: "some_exception", reason: fault.reason };
      return id === "b" ? { status: fault.status, error } : undefined;
    };
    const sink = await opened(testFolder());
    const error = await errorOf(write(sink, keyedBatch(1, "i a", "i b", "i c")));
    await sink.close();
    return error;
  }

  it.each([429, 503])("may be written later after status %d", async (status) => {
    const error = (await failing({ status, reason: "busy" })) as SinkError;
    expect([error.message, error.isTemporary]).toEqual([
      "The server has not written a document: some_exception: busy",
      true,
    ]);
  });

  it("is the row that does not fit with status 400", async () => {
    const error = (await failing({
      status: 400,
      reason: "failed to parse field [id] \u001b[1m",
    })) as RowError;
    expect([error.rows, error.message]).toEqual([
      [1],
      "The server refuses a document: some_exception: failed to parse field [id] \\u001b[1m",
    ]);
    expect(error.refused).toEqual([{ row: 1, column: "id", why: error.message }]);
  });

  it("was written by another program if its version is higher", async () => {
    const error = (await failing({ status: 409, reason: "current version [900]" })) as SinkError;
    expect([error.message, error.isTemporary]).toEqual([
      "Another program has written documents of index transfers: some_exception: current version [900]",
      false,
    ]);
  });
});

it.each([
  ["is no JSON", "<html>", true],
  ["says nothing of the items", "{}", true],
  ["says too little", '{"items":[{"index":{"status":201}}]}', true],
  ["says something else", '{"items":[1,2]}', true],
])("an Elasticsearch sink does not count an answer that %s as success", async (_, body, isTemporary) => {
  server.answer(({ path }) => ({ status: path === "/_bulk" ? 200 : 404, body }));
  const sink = await opened(testFolder());
  const error = (await errorOf(write(sink, keyedBatch(1, "i a", "i b")))) as SinkError;
  expect([error.message, error.isTemporary]).toEqual([
    "The server has not said what became of each document",
    isTemporary,
  ]);
  await sink.close();
});

it("an Elasticsearch sink treats a request that arrives twice as one", async () => {
  const sink = await opened(testFolder());
  await write(sink, keyedBatch(1, "i a"));
  let isLost = true;
  server.answer((request) => {
    const answer = search.answer(request);
    // The client sends a request again whose idle connection was closed meanwhile.
    if (!isLost) return answer;
    isLost = false;
    return "disconnects";
  });
  await sink.write(keyedBatch(2, "u a", "i b"));
  await write(sink, keyedBatch(3, "u a", "d b"));
  await sink.close();
  expect(server.requests).toHaveLength(4);
  expect(search.rows).toEqual([{ id: "a", block: 3 }]);
});

it("an Elasticsearch sink cuts a request that is too large for the server", async () => {
  server.answer((request) =>
    request.body.split("\n").length > 5 ? { status: 413 } : search.answer(request),
  );
  const sink = await opened(testFolder());
  await write(sink, keyedBatch(1, "i a", "i b", "i c", "i d", "i e"));
  await sink.close();
  expect(search.rows.map(({ id }) => id)).toEqual(["a", "b", "c", "d", "e"]);
});

it("an Elasticsearch sink stops reading an endless answer", async () => {
  server.answer(({ path }) => (path === "/_bulk" ? "floods" : { status: 404 }));
  const sink = await opened(testFolder());
  const error = (await errorOf(write(sink, keyedBatch(1, "i a")))) as SinkError;
  expect(error.message).toBe("The server gave no answer: the answer is longer than 33554432 bytes");
  await sink.close();
});

/** Several requests for most batches. */
const lawful: LawDefinition = {
  type: "elasticsearch",
  settings: { index: "transfers", secret_name: "SEARCH", batch_size: 9 },
};

/** Lets the server fail sometimes: before it has a request, in the middle of one, or after it. */
function failSometimes(): void {
  const random = randomOf(2);
  server.answer((request) => {
    const moment = random();
    if (moment < 0.05) return { status: 503 };
    search.fault = () =>
      random() < 0.01 ? { status: 429, error: { type: "busy", reason: "busy" } } : undefined;
    const answer = search.answer(request);
    return moment < 0.1 ? "disconnects" : answer;
  });
}

const lawRows = async (): Promise<readonly LawRow[]> =>
  search.rows.map((row) => ({ ...row, block_number: String(row.block_number) })) as unknown as LawRow[];

it("an Elasticsearch sink holds the rows of the query after any interruptions", { tags: "law" }, async () => {
  let folder = testFolder();
  failSometimes();
  await expectLaw({
    empty: async () => {
      search = new PlayedSearch();
      server.clear();
      folder = testFolder();
    },
    open: ({ sink, owner }, cut) => {
      const world = interruptedWorld(sinkWorld({ folder, secrets: secrets() }), cut);
      const here = { ...sink, definition: sinkDefinition(lawful) } as PlannedSinkOf<ElasticsearchShape>;
      return elasticsearchAccess.open(here, owner, world);
    },
    rows: lawRows,
    ledger: () => ledgersOfState(folder, `${server.url}/transfers`),
  });
});

it.runIf(isLawCampaign)(
  "an Elasticsearch sink holds the rows of the query after its writer was killed",
  { tags: "law" },
  async () => {
    failSometimes();
    await expectLawOfKilled(
      async () => {
        search = new PlayedSearch();
        server.clear();
        const folder = testFolder();
        return {
          definition: lawful,
          secrets: secrets(),
          folder,
          rows: lawRows,
          ledger: () => ledgersOfState(folder, `${server.url}/transfers`),
        };
      },
      undefined,
      1,
    );
  },
);
