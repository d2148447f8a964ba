import { expect, it, onTestFinished } from "vitest";
import { createNodeWorld } from "../../../src/machine/world.js";
import { openDuckDb } from "../../../src/pipelines/machine/duckdb/open-duckdb.js";
import { openScript } from "../../../src/pipelines/machine/quickjs/open-script.js";
import type { PipelinePlan } from "../../../src/pipelines/plan/pipeline-plan.js";
import { runSinks } from "../../../src/pipelines/runner/run-sinks.js";
import type { Source } from "../../../src/pipelines/sources/source.js";
import { testFolder } from "../../support/folder.js";
import { plannedPipeline, soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { type RecordingServer, startRecordingServer } from "../../support/pipelines/recording-server.js";
import { rowsOf } from "../../support/pipelines/row-objects.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";

/** Little, so that what takes all of it ends soon. */
const openEngine = () => openDuckDb({ memory: 64, time: 1_000 });
const scriptLimits = { memory: 16, rowTime: 1_000, batchTime: 5_000 };

const script = (code: string): string => `
    type: script
    from: transfers
    primary_key: id
    schema: { id: string }
    script: |
      ${code}`;
const handler = (url: string): string => `
    { type: handler, from: transfers, primary_key: id, url: "${url}" }`;
const sql = (query: string): string => `
    { type: sql, primary_key: id, sql: "${query}" }`;

/** What a flow of many users may hold, and what becomes of the sink behind it. */
const attacks = (url: string): readonly (readonly [name: string, transform: string, end: RegExp])[] => [
  [
    "takes-time",
    sql(
      "SELECT id, len(list_filter(range(0, 9000), x -> len(list_filter(range(0, 3000 + log_index), y -> (x * y) % 7 = 3)) > 9000)) AS n FROM transfers",
    ),
    /QueryError: .*the query takes too long/,
  ],
  [
    "loops",
    script("function invoke({ id }) { for (;;) { try { for (;;); } catch {} } }"),
    /it takes longer than/,
  ],
  [
    "recurses",
    script("function invoke(data) { return invoke(data) ?? data; }"),
    /TransformError: .*it calls itself too deeply/,
  ],
  [
    "allocates",
    script("function invoke({ id }) { const all = []; for (;;) all.push(id.repeat(500_000)); }"),
    /TransformError: .*memory/,
  ],
  [
    "reaches-the-host",
    script("function invoke({ id }) { return { id: globalThis.process.env.HOME }; }"),
    /TransformError: /,
  ],
  [
    "builds-code",
    script("function invoke({ id }) { return { id: (() => {}).constructor('return process')().pid }; }"),
    /TransformError: /,
  ],
  ["answers-nonsense", handler(`${url}/nonsense`), /TransformError: Handler .*JSON/],
  ["answers-too-few", handler(`${url}/few`), /TransformError: Handler .* answered with 1 rows? to 3/],
  ["answers-nothing", handler(`${url}/nothing`), /TransformError: Handler /],
];

/** Three transfers. */
function transfers(plan: PipelinePlan): Source {
  const { columns } = plan.sources[0]?.schema ?? expect.unreachable();
  const plus = rowsOf(
    columns,
    ["a", "b", "c"].map((id, index) => ({ id, log_index: BigInt(index) })),
  );
  return {
    async *batches() {
      const delta = { minus: rowsOf(columns, []), plus };
      yield { from: 0, to: 0, isUndone: false, delta, position: { next: 1, open: [] } };
    },
  };
}

async function playedHandler(): Promise<RecordingServer> {
  const server = await startRecordingServer();
  onTestFinished(() => server.stop());
  server.answer(({ path, body }) => {
    if (path === "/nothing") return { status: 200 };
    return { status: 200, body: path === "/few" ? JSON.stringify(JSON.parse(body).slice(1, 2)) : "<html>" };
  });
  return server;
}

it("INV-P10: the runner stops each attack at its own sink, and writes all rows of the other sinks", async () => {
  const { url } = await playedHandler();
  const list = attacks(url);
  const plan = await soundPipeline(
    `
name: shared
sources: { transfers: { type: dataset, dataset_name: ethereum.erc20_transfers, start_at: earliest } }
transforms:
${list.map(([name, transform]) => `  ${name.replaceAll("-", "_")}:${transform}`).join("\n")}
sinks:
  plain: { type: print, format: json, from: transfers }
${list.map(([name]) => `  ${name}: { type: blackhole, from: ${name.replaceAll("-", "_")} }`).join("\n")}
`,
    openEngine,
  );
  const printed: string[] = [];
  const ends = await runSinks(
    plan,
    {
      ...sinkWorld({ folder: testFolder() }),
      openEngine,
      openScript: (program) => openScript(program, scriptLimits),
      openSource: () => transfers(plan),
      out: (text) => printed.push(text),
      clock: { ...createNodeWorld(), random: () => 0 },
    },
    () => undefined,
    new AbortController().signal,
  );
  const found = [...ends].map(([name, end]) => [name, end.kind === "halted" ? String(end.error) : end.kind]);
  expect(found).toEqual([
    ["plain", "ended"],
    ...list.map(([name, , end]) => [name, expect.stringMatching(end)]),
  ]);
  expect(printed.join("").match(/"id":"[abc]"/g)).toHaveLength(3);
});

it.each([
  ["a file", "SELECT id FROM read_text('/etc/passwd')", "read_text() is not a source of the flow"],
  [
    "the network",
    "SELECT id FROM read_csv('https://example.com/x')",
    "read_csv() is not a source of the flow",
  ],
  ["an extension", "INSTALL httpfs", "sql"],
  [
    "endless recursion",
    "WITH RECURSIVE t AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM t) SELECT id FROM t",
    "WITH RECURSIVE",
  ],
])("the runner refuses a definition that requires %s, before anything runs", async (_, query, message) => {
  const found = await plannedPipeline(
    `
name: shared
sources: { transfers: { type: dataset, dataset_name: ethereum.erc20_transfers, start_at: earliest } }
transforms: { attack: ${sql(query).trim()} }
sinks: { plain: { type: print, from: transfers }, attacked: { type: print, from: attack } }
`,
    openEngine,
  );
  expect(found).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
});
