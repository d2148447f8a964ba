// Takes sinks through random schedules, one sink after another: those with interruptions, and those whose process is killed.
// Run: npm run campaign:flows -- [--sink <name>] [--from <seed>] [--count <schedules>] [--report <file>]
// 300 schedules of all sinks by default. What has passed is noted in the report, and left out when it is run again.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The file of each sink's tests, and those of entities and topics as sources, and of lookups. Those with the tag `law` have schedules. */
const sinks = {
  postgres: "test/pipelines/sinks/postgres.database.test.ts",
  mysql_sink: "test/pipelines/sinks/mysql.database.test.ts",
  postgres_aggregate: "test/pipelines/sinks/postgres-aggregate.database.test.ts",
  duckdb: "test/pipelines/sinks/duckdb.long.test.ts",
  clickhouse: "test/pipelines/sinks/clickhouse/clickhouse.database.test.ts",
  kafka: "test/pipelines/sinks/kafka.server.test.ts",
  file: "test/pipelines/sinks/file-law.long.test.ts",
  s3_sink: "test/pipelines/sinks/s3.server.test.ts",
  webhook: "test/pipelines/sinks/webhook.server.test.ts",
  elasticsearch: "test/pipelines/sinks/elasticsearch.server.test.ts",
  sqs_sink: "test/pipelines/sinks/sqs.server.test.ts",
  subgraph_entity: "test/pipelines/sources/entity-source.database.test.ts",
  topic: "test/pipelines/sources/topic-source.server.test.ts",
  lookups: "test/pipelines/transforms/lookup-law.long.test.ts",
};

const { values } = parseArgs({
  options: {
    sink: { type: "string" },
    from: { type: "string", default: "1" },
    count: { type: "string", default: "300" },
    report: { type: "string", default: join(root, "node_modules/.graphloom-tests/campaign-flows") },
  },
});
if (values.sink !== undefined && !Object.hasOwn(sinks, values.sink)) {
  console.error(`There is no sink ${values.sink}. Choose one of ${Object.keys(sinks).join(", ")}.`);
  process.exit(2);
}
let failed = false;
for (const [sink, file] of Object.entries(sinks)) {
  if (values.sink !== undefined && values.sink !== sink) continue;
  const report = `${values.report}-${sink}.jsonl`;
  mkdirSync(dirname(report), { recursive: true });
  const { status } = spawnSync(
    process.execPath,
    [join(root, "node_modules/vitest/vitest.mjs"), "run", file, "--tags-filter", "law"],
    {
      cwd: root,
      env: {
        ...process.env,
        GRAPHLOOM_LAW_SEEDS: values.count,
        GRAPHLOOM_LAW_FROM: values.from,
        GRAPHLOOM_LAW_REPORT: report,
      },
      stdio: ["ignore", process.stderr, process.stderr],
    },
  );
  failed ||= status !== 0;
  console.log(`${sink}: ${existsSync(report) ? summary(report) : "nothing was run"}`);
}
process.exit(failed ? 1 : 0);

/** What a report says of a sink, in a line. Of each schedule, the last note counts. */
function summary(report) {
  const lines = readFileSync(report, "utf8").trim().split("\n");
  const last = new Map();
  for (const note of lines.map((line) => JSON.parse(line))) last.set(`${note.test} ${note.seed}`, note);
  const notes = [...last.values()];
  const sum = (name) => notes.reduce((total, note) => total + (note[name] ?? 0), 0);
  const failures = notes.filter(({ failure }) => failure !== undefined);
  const killed = notes.filter(({ kills }) => kills > 0);
  const seconds = sum("milliseconds") / 1000;
  return [
    `${notes.length} schedules in ${seconds.toFixed(0)} s`,
    `${sum("reorganisations")} reorganisations, up to ${Math.max(...notes.map(({ deepest = 0 }) => deepest))} deep`,
    `${sum("repeating")} batches with several changes of a key`,
    `${sum("cuts")} cuts`,
    `${sum("kills")} kills in ${killed.length} schedules, ${sum("recoveries")} of them while it recovered`,
    `${failures.length} failures${failures.length > 0 ? ` (seeds ${failures.map(({ seed }) => seed).join(", ")})` : ""}`,
  ].join("; ");
}
