import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountOperations } from "../../../src/api/account-operations.js";
import { allOperations, apiSchemas } from "../../../src/api/api-document.js";
import { buildOperations } from "../../../src/api/build-operations.js";
import { datasetOperations } from "../../../src/api/dataset-operations.js";
import { hostedSinkOperations } from "../../../src/api/hosted-sink-operations.js";
import { nodeSchema, pipelineOperations } from "../../../src/api/pipeline-operations.js";
import { pipelineTaskOperations } from "../../../src/api/pipeline-tasks.js";
import { isRecord, parseJson } from "../../../src/base/text/json-value.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { useFolder } from "../../support/folder.js";
import { oddForms, sampleOf } from "../../support/server/schema-sample.js";
import { graphloom } from "../harness.js";

/*
 * Commands against a server whose answers have the wrong shape. They say what the answer lacks, with exit code 3: never that
 * graphloom has a bug, which is 70.
 */

/** Odd answers to each request of a command, of some hundreds that there are. */
const tried = Number(process.env.GRAPHLOOM_ODD_ANSWERS ?? 2);

const lines: readonly string[] = [
  "subgraph deploy pools/1.0.0 --path build --wait none",
  "subgraph list",
  "subgraph list --summary",
  "subgraph list pools/1.0.0 --output json",
  "subgraph delete pools/1.0.0 --force",
  "subgraph pause pools/1.0.0",
  "subgraph start pools/1.0.0",
  "subgraph update pools/1.0.0 --description x",
  "subgraph tag create pools/1.0.0 --tag prod",
  "subgraph tag delete pools/1.0.0 --tag prod --force",
  "subgraph webhook create pools/1.0.0 --name more --url https://example.com/hook --entity text",
  "subgraph webhook delete more --force",
  "subgraph webhook list",
  "subgraph webhook list-entities pools/1.0.0",
  "subgraph log pools/1.0.0 --no-follow",
  "project list",
  "project create --name x",
  "project update --name x",
  "project leave --projectId text --force",
  "project users list",
  "project users invite --emails a@example.com --role Viewer",
  "project users remove --email ann@example.com --force",
  "project users update --email ann@example.com --role Viewer",
  'secret create --name X --value {"type":"httpauth","secretKey":"a","secretValue":"b"}',
  "secret list",
  "secret reveal X",
  "secret update X --description x",
  "secret delete X --force",
  "hosted-sink create --type postgres --name x",
  "hosted-sink delete x --force",
  "pipeline verify p",
  "pipeline repair p --sink s",
  "pipeline replay p --sink s --from-block 1 --to-block 2 --yes",
  "pipeline cancel-task p",
  "pipeline parked list p",
  "pipeline parked retry p --sink s",
  "pipeline parked drop p --sink s --key id=1 --force",
  "pipeline create p --definition-path pipeline.yaml",
  "pipeline update p --resource-size s",
  "pipeline get-definition p",
  "pipeline snapshots list p",
  "pipeline snapshots create p",
  "pipeline apply pipeline.yaml --status INACTIVE",
  "pipeline apply pipeline.yaml --reset --force",
  "pipeline get p",
  "pipeline get p --output json",
  "pipeline list --include-runtime-details",
  "pipeline info p",
  "pipeline monitor p --max-refreshes 1",
  "pipeline start p",
  "pipeline pause p",
  "pipeline stop p",
  "pipeline restart p --from-snapshot last --disable-monitoring",
  "pipeline resize p m",
  "pipeline cancel-update p",
  "pipeline delete p --force",
  "pipeline export p",
  "stream apply pipeline.yaml",
  "stream validate pipeline.yaml",
  "stream list",
  "stream get p",
  "stream logs p --no-follow",
  "stream logs p --no-follow --timestamps",
  "stream inspect p --print",
  "stream state p",
  "stream state p --output json",
  "stream pause p",
  "stream resume p",
  "stream delete p --force",
  "external-data sync raw-blocks --network mainnet --server --from-block 1 --to-block 2 --out out",
  "login --token abc",
];

const cwd = useFolder({
  "pipeline.yaml":
    "name: p\nresource_size: s\nsources: { b: { type: dataset, dataset_name: ethereum.raw_blocks } }\nsinks: { s: { type: blackhole, from: b } }\n",
  ...Object.fromEntries([...sampleBuild().files].map(([path, bytes]) => [`build/${path}`, bytes])),
});
const served = [
  ...allOperations.map(({ answer, ...rest }) => ({ ...rest, answer: answer && { $ref: answer } })),
  ...Object.entries({
    ...accountOperations,
    ...buildOperations,
    ...datasetOperations,
    ...hostedSinkOperations,
    ...pipelineOperations,
    ...pipelineTaskOperations,
  }).map(([id, operation]) => ({ id, ...operation })),
].map((operation) => ({
  ...operation,
  pattern: new RegExp(`^/api/v1${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`),
}));
type Served = (typeof served)[number];

/** What the server answers a request with. */
type Answer = (operation: Served) => string;

const events = {
  nodes: [sampleOf(nodeSchema, {})],
  row: { node: "text", op: "i", row: { id: "1" } },
  dropped: { node: "text", rows: 1 },
  end: { how: "completed" },
};

/** What an operation answers with; `undefined` if it has no answer. */
function usual({ id, answer }: Served): unknown {
  if (id === "inspectPipeline") return events;
  return answer && calm(sampleOf(answer, apiSchemas));
}

const sample: Answer = (operation) => JSON.stringify(usual(operation)) ?? "";
let answer: Answer = sample;
const asked: Served[] = [];
let onAsked: () => void = () => undefined;

/** Nothing that a command would wait for. */
function calm(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, field) => {
      if (name === "next_page_token") return null;
      if (name === "state" && field === "running") return "done";
      return name === "name" && field === "text" ? "p" : field;
    }),
  );
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const operation = served.find(({ method, pattern }) => method === request.method && pattern.test(pathname));
  request.resume().on("end", () => {
    if (!operation) return response.writeHead(404).end("{}");
    asked.push(operation);
    onAsked();
    const isEvents = operation.id === "inspectPipeline";
    const text = isEvents ? eventsOf(answer(operation)) : answer(operation);
    return response
      .writeHead(200, { "content-type": isEvents ? "text/event-stream" : "application/json" })
      .end(text);
  });
});

/** Each field of an answer as an event; of another answer, every event has it. */
function eventsOf(text: string): string {
  const value = parseJson(text);
  return Object.keys(events)
    .map((event) => `event: ${event}\ndata: ${isRecord(value) ? JSON.stringify(value[event]) : text}\n\n`)
    .join("");
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => server.close());

async function outcome(line: string, most: number): Promise<{ readonly code: number; readonly err: string }> {
  asked.length = 0;
  // A command that waits for something would ask again and again.
  const enough = new AbortController();
  onAsked = () => {
    if (asked.length > most) enough.abort();
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { HOME: cwd, GRAPHLOOM_API_URL: url, GRAPHLOOM_TOKEN: "abc" };
  return graphloom(cwd, line, { env, signal: enough.signal });
}

/** Answers with something odd to one of the requests of a command, by its place among them, and as it should to others. */
function oddAt(place: number, odd: (operation: Served) => string): Answer {
  let count = 0;
  return (operation) => {
    count += 1;
    return count === place + 1 ? odd(operation) : sample(operation);
  };
}

/** Commands whose first request asks only for what to warn of. */
const warnsFirst = /^subgraph delete .* --force$/;

const page = "<!doctype html><title>Welcome</title>";
const bodies = [page, "", "null", "[]", '""', "5", "{}", '{"data":null}', '{"data":[null]}'];

describe.each(lines)("%s", (line) => {
  it("never takes an odd answer for a bug", async () => {
    answer = sample;
    const whole = await outcome(line, 5);
    expect.soft(whole.code, `${line}: ${whole.err}`).not.toBe(70);
    const requests = [...asked];
    expect(requests.length, whole.err).toBeGreaterThan(0);
    const tries = requests.slice(0, 5).flatMap((operation, place) => {
      const forms = usual(operation) === undefined ? [] : [...oddForms(usual(operation))];
      const all = [...bodies, ...forms.map((form) => JSON.stringify(form))];
      const some = [bodies[place % bodies.length] ?? "", ...fc.sample(fc.constantFrom(...all), tried)];
      return some.map((body) => ({ ...operation, place, body }));
    });
    for (const { place, body, id, method } of tries) {
      answer = oddAt(place, () => body);
      const { code, err } = await outcome(line, place + 2);
      if (code === 70) expect.soft([line, id, body, err]).toEqual([]);
      // After a change, a command may find out the outcome by itself. Before one, it may only want to warn.
      if (body !== page || place !== 0 || method !== "GET") continue;
      const expected = warnsFirst.test(line)
        ? [0, expect.stringMatching(/^warning: /)]
        : [3, expect.anything()];
      expect.soft([line, code, err]).toEqual([line, ...expected]);
    }
  });
});
