import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openTableFiles } from "../../../src/machine/files/table-files.js";
import { type AuditWorld, auditSink, isSound } from "../../../src/pipelines/audit/audit-sink.js";
import { openClickHouse } from "../../../src/pipelines/machine/clickhouse/open-clickhouse.js";
import { openMysqlDatabase } from "../../../src/pipelines/machine/mysql/open-mysql.js";
import { openTemporaryScratch } from "../../../src/pipelines/machine/temporary-scratch.js";
import type { PlannedSource } from "../../../src/pipelines/plan/pipeline-plan.js";
import { type PipelineWorld, runSinks } from "../../../src/pipelines/runner/run-sinks.js";
import type { Source } from "../../../src/pipelines/sources/source.js";
import { SQL, uncheckedSql } from "../../../src/store/database/database.js";
import { onPostgres } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { readWithDuckDb } from "../../support/database/read-with-duckdb.js";
import { testFolder, useFolder } from "../../support/folder.js";
import { verifies } from "../../support/pipelines/audited-pipeline.js";
import { foldTopic } from "../../support/pipelines/folded-topic.js";
import { openEngine } from "../../support/pipelines/law-pipeline.js";
import { oddTexts, zeroTexts } from "../../support/pipelines/odd-texts.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { PlayedQueue } from "../../support/pipelines/played-queue.js";
import { PlayedSearch } from "../../support/pipelines/played-search.js";
import { type RecordingServer, startRecordingServer } from "../../support/pipelines/recording-server.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";
import {
  type ClickHouseServer,
  lackOfClickHouse,
  startClickHouse,
} from "../../support/servers/clickhouse.js";
import { startKafka } from "../../support/servers/kafka.js";
import { kafkaMissing, openTestKafka } from "../../support/servers/kafka-client.js";
import { type MariaDbServer, mariaDbMissing, startMariaDb } from "../../support/servers/mariadb.js";

const allTexts = { ...oddTexts, ...zeroTexts };

/** The value of a column in each row, by the row's key. */
type Held = ReadonlyMap<string, string>;

/** A sink, and how its readers see it. */
interface TextSink {
  /** Its definition without `from`, as YAML in braces. */
  readonly definition: string;
  readonly world?: Partial<PipelineWorld>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Rows as `id` and `text`. */
  read(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Sends texts through SQL into a sink, both as values and as keys, and reads them back. */
async function sent(texts: Readonly<Record<string, string>>, sink: TextSink): Promise<Held> {
  const names = Object.keys(texts);
  const plan = await soundPipeline(`
name: texts
sources: { played: { type: dataset, dataset_name: anvil.raw_logs, start_at: earliest, end_block: 1 } }
transforms:
  rows:
    sql: "SELECT left(data, 60) AS id, data AS text, block_number FROM played"
    primary_key: id
sinks:
  out: { from: rows, ${sink.definition} }
`);
  const [source] = plan.sources as readonly [PlannedSource];
  const columns = source.schema.columns.map(({ name }) =>
    names.map((id) => {
      if (name === "id") return id;
      if (name === "data") return texts[id] ?? null;
      return name === "block_number" ? 1n : null;
    }),
  );
  const played: Source = {
    async *batches(position) {
      if (position && position.next > 1) return;
      const delta = {
        minus: { count: 0, columns: columns.map(() => []) },
        plus: { count: names.length, columns },
      };
      yield { from: 0, to: 1, isUndone: false, delta, position: { next: 2, open: [] } };
    },
  };
  const world: PipelineWorld = {
    ...sinkWorld({ folder: testFolder(), secrets: sink.secrets ?? {} }),
    openEngine,
    openSource: () => played,
    ...sink.world,
  } as PipelineWorld;
  const ends = await runSinks(plan, world, () => undefined, new AbortController().signal);
  const end = ends.get("out");
  if (end?.kind === "halted") throw end.error;
  const [planned] = plan.sinks;
  if (planned && plan.sinks.length === 1) {
    const audited: AuditWorld = {
      ...world,
      openScratch: openTemporaryScratch,
      openSource: () => played,
      openContents: () => undefined,
      openAdopted: () => undefined,
    };
    expect(isSound(await auditSink(plan, planned, audited, verifies))).toBe(true);
  }
  return new Map((await sink.read()).map(({ id, text }) => [String(id), String(text)]));
}

/** Each text by its first characters, which are its key. */
function expected(texts: Readonly<Record<string, string>>): Held {
  return new Map(Object.values(texts).map((text) => [[...text].slice(0, 60).join(""), text]));
}

describe.skipIf(postgresMissing !== undefined)("a table of PostgreSQL", () => {
  const { bare } = onPostgres();

  it("holds every text unchanged", async () => {
    const database = await bare();
    const held = await sent(oddTexts, {
      definition: "type: postgres, schema: texts, table: held, secret_name: PG",
      secrets: { PG: "postgres://localhost/x" },
      world: {
        openDatabase: async () => ({
          provider: database.provider,
          query: (...given) => database.query(...given),
          run: (...given) => database.run(...given),
          transaction: (...given) => database.transaction(...given),
          listen: (...given) => database.listen(...given),
          close: async () => undefined,
        }),
      },
      read: () => database.query(SQL`select id, text from texts.held`),
    });
    expect(held).toEqual(expected(oddTexts));
  });
});

describe.skipIf(mariaDbMissing !== undefined)("a table of MariaDB", () => {
  let server: MariaDbServer;
  beforeAll(async () => {
    server = await startMariaDb();
  });
  afterAll(() => server?.stop());

  it("holds every text unchanged", async () => {
    const database = await openMysqlDatabase(server.address(""));
    onTestFinished(() => database.close());
    await database.run(uncheckedSql("create database texts"));
    const held = await sent(allTexts, {
      definition: "type: mysql_sink, schema: texts, table: held, secret_name: MY",
      secrets: { MY: server.address("texts") },
      world: { openMysql: openMysqlDatabase },
      read: async () => (await database.run(uncheckedSql("select id, text from texts.held"))).rows,
    });
    expect(held).toEqual(expected(allTexts));
  });
});

describe.skipIf(lackOfClickHouse() !== undefined)("a table of ClickHouse", () => {
  const folder = useFolder();
  let server: ClickHouseServer;
  beforeAll(async () => {
    server = await startClickHouse(folder);
  });
  afterAll(() => server?.stop());

  it("holds every text unchanged", async () => {
    const held = await sent(allTexts, {
      definition: "type: clickhouse, table: held, secret_name: CH",
      secrets: { CH: server.secret },
      world: { openClickHouse },
      read: async () => {
        const asked = await openClickHouse(server.address);
        try {
          return await asked.query("select id, text from held final");
        } finally {
          await asked.close();
        }
      },
    });
    expect(held).toEqual(expected(allTexts));
  });
});

describe.skipIf(kafkaMissing !== undefined)("a topic of Kafka", () => {
  it("holds every text unchanged", async () => {
    const broker = await startKafka();
    onTestFinished(() => broker.stop());
    const address = { brokers: [broker.address], isTls: false };
    const held = await sent(allTexts, {
      definition: "type: kafka, topic: texts, secret_name: KAFKA",
      secrets: { KAFKA: JSON.stringify({ type: "kafka", bootstrapServers: broker.address }) },
      world: { openKafka: () => openTestKafka(address) },
      read: async () => {
        const kafka = await openTestKafka(address);
        try {
          const { rows } = await foldTopic(kafka, "texts");
          return [...rows.values()] as readonly Readonly<Record<string, unknown>>[];
        } finally {
          await kafka.close();
        }
      },
    });
    expect(held).toEqual(expected(allTexts));
  });
});

describe("Parquet files", () => {
  it("hold every text unchanged", async () => {
    const folder = testFolder();
    const held = await sent(allTexts, {
      definition: "type: file, path: out, finalized: true",
      world: { openFiles: (path) => openTableFiles(join(folder, path)) },
      read: () => readWithDuckDb(join(folder, "out/*/*.parquet")),
    });
    expect(held).toEqual(expected(allTexts));
    rmSync(folder, { recursive: true });
  });
});

describe("printed rows", () => {
  it("holds every text unchanged", async () => {
    let printed = "";
    const held = await sent(allTexts, {
      definition: "type: print",
      world: {
        out: (text) => {
          printed += text;
        },
      },
      read: async () =>
        printed
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
    });
    expect(held).toEqual(expected(allTexts));
  });
});

describe("servers that take rows over HTTP", () => {
  let server: RecordingServer;
  beforeAll(async () => {
    server = await startRecordingServer();
  });
  afterAll(() => server.stop());

  it("get every text unchanged: a webhook", async () => {
    const held = await sent(allTexts, {
      definition: `type: webhook, url: "${server.url}/hook"`,
      read: async () => {
        const posts = server.requests.filter(({ path }) => path === "/hook");
        return posts
          .flatMap(({ body }) => [JSON.parse(body)].flat())
          .map((one) => one.data ?? one.row ?? one);
      },
    });
    expect(held).toEqual(expected(allTexts));
  });

  it("get every text unchanged: an index of Elasticsearch", async () => {
    const search = new PlayedSearch();
    server.answer((request) => search.answer(request));
    const held = await sent(oddTexts, {
      definition: "type: elasticsearch, index: transfers, secret_name: SEARCH",
      secrets: { SEARCH: server.url.replace("//", "//user:pass-pass@") },
      read: async () => search.rows,
    });
    expect(held).toEqual(expected(oddTexts));
  });

  it("get every text unchanged: a queue of SQS", async () => {
    const queue = new PlayedQueue();
    server.answer((request) => queue.answer(request, () => false));
    const held = await sent(oddTexts, {
      definition: `type: sqs_sink, queue_url: "${server.url}/queue.fifo", secret_name: QUEUE`,
      secrets: { QUEUE: '{"type":"sqs","accessKey":"A","secretAccessKey":"w","region":"eu-west-1"}' },
      read: async () => queue.rows as unknown as readonly Readonly<Record<string, unknown>>[],
    });
    expect(held).toEqual(expected(oddTexts));
  });
});
