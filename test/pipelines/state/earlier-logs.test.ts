import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTableFiles } from "../../../src/machine/files/table-files.js";
import { readWindow, storedColumns } from "../../../src/pipelines/sinks/file/window-file.js";
import type { OutgoingRequest } from "../../../src/web/outgoing/outgoing-request.js";
import { testFolder } from "../../support/folder.js";
import {
  type EarlierSink,
  earlierContents,
  earlierFiles,
  earlierSchema,
  earlierText,
  expectSinkContinued,
} from "../../support/pipelines/earlier-state.js";
import { foldTopic } from "../../support/pipelines/folded-topic.js";
import { PlayedKafka } from "../../support/pipelines/played-kafka.js";
import { PlayedSearch } from "../../support/pipelines/played-search.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";

const secrets = {
  BROKER: '{"bootstrapServers":"127.0.0.1:1","securityProtocol":"PLAINTEXT"}',
  QUEUE: "AKIDEXAMPLE:wJalrXUtnFEMI",
  SEARCH: "http://search.test",
};

it("a Kafka sink continues from the state that version 0.1.0 wrote", async () => {
  const kafka = PlayedKafka.from(await earlierText("kafka-0.1.0.json"));
  const world = { ...sinkWorld({ folder: testFolder(), secrets }), openKafka: async () => kafka };
  const settings = { topic: "rows", topic_partitions: 2, secret_name: "BROKER" };
  await expectSinkContinued({ type: "kafka", settings, world });
  const { rows, records, repeats } = await foldTopic(kafka, "rows");
  expect([...rows.values()]).toMatchObject([{ id: "a", long: 11 }, { id: "it's \\ ß😀" }, { id: "none" }]);
  expect([records, repeats]).toEqual([8, 0]);
});

it("a file sink continues from the state that version 0.1.0 wrote", async () => {
  const folder = testFolder(await earlierContents("file-0.1.0.json"));
  const settings = { path: "out", partition_columns: "boolean", blocks_per_file: 10 };
  const world = { ...sinkWorld({ folder }), openFiles: () => openTableFiles(folder) };
  await expectSinkContinued({ type: "file", settings, world }, earlierFiles);
  const columns = storedColumns(earlierSchema.columns.filter(({ name }) => name !== "boolean"));
  const ids: unknown[] = [];
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort())
    if (path.endsWith(".parquet"))
      ids.push(...((await readWindow(readFileSync(join(folder, path)), columns)).columns[0] ?? []));
  expect(ids).toEqual(["a", "b", "none", "c", "it's \\ ß😀"]);
});

/** Where the changes of a request are, as their numbers, operations and rows. */
type Read = (body: string) => readonly string[];

interface Envelope {
  readonly sequence: number;
  readonly op: string;
  readonly row: { readonly id: string };
}

const called = ({ sequence, op, row }: Envelope): string => `${sequence} ${op} ${row.id}`;

/** Continues a sink that sends its rows. @param file the name that its state had @returns what it has sent */
async function sentBy(
  { type, settings }: Omit<EarlierSink, "world">,
  file: string,
  answer: (request: OutgoingRequest & { readonly body: string }) => string,
  read: Read,
): Promise<readonly string[]> {
  const folder = testFolder({ [`kept/${file}`]: await earlierText(`${type}-0.1.0.journal`) });
  const sent: string[] = [];
  const send = async (request: OutgoingRequest): Promise<object> => {
    const body = String(request.body);
    sent.push(...read(body));
    return { status: 200, headers: {}, body: Buffer.from(answer({ ...request, body })) };
  };
  const world = { ...sinkWorld({ folder, secrets }), outgoing: { send } } as EarlierSink["world"];
  await expectSinkContinued({ type, settings, world });
  return sent;
}

it("a webhook sink continues from the state that version 0.1.0 wrote", async () => {
  const settings = { url: "http://receiver.test/rows", batch_size: 1 };
  const read: Read = (body) => (JSON.parse(body) as readonly Envelope[]).map(called);
  const sent = await sentBy({ type: "webhook", settings }, "out-3fcb31389b01ed05.journal", () => "", read);
  expect(sent).toEqual(["6 u a", "7 i c", "8 d c"]);
});

it("an SQS sink continues from the state that version 0.1.0 wrote", async () => {
  const settings = { queue_url: "http://queue.test/1/rows.fifo", region: "eu-west-1", secret_name: "QUEUE" };
  const entries = (body: string): readonly { readonly Id: string; readonly MessageBody: string }[] =>
    JSON.parse(body).Entries;
  const sent = await sentBy(
    { type: "sqs_sink", settings },
    "out-9bb95f0d7c1eed36.journal",
    ({ body }) => JSON.stringify({ Successful: entries(body).map(({ Id }) => ({ Id })) }),
    (body) => entries(body).map(({ MessageBody }) => called(JSON.parse(MessageBody))),
  );
  expect(sent).toEqual(["5 d b", "6 u a", "7 i c", "8 d c"]);
});

it("an Elasticsearch sink continues from the state that version 0.1.0 wrote", async () => {
  const search = new PlayedSearch();
  const sent = await sentBy(
    { type: "elasticsearch", settings: { index: "rows", secret_name: "SEARCH", batch_size: 1 } },
    "out-ba26d0021d7973ba.journal",
    ({ url, headers = {}, body }) => {
      const answer = search.answer({ method: "POST", path: new URL(url).pathname, headers, body });
      return typeof answer === "object" ? (answer.body ?? "") : "";
    },
    (body) =>
      [...body.matchAll(/^\{"(index|delete)":(.*)\}$/gm)].map(([, action, about = ""]) => {
        const { _id: id, version } = JSON.parse(about);
        return `${version} ${action} ${id}`;
      }),
  );
  expect(sent).toEqual(["6 index a", "7 index c", "8 delete c"]);
});
