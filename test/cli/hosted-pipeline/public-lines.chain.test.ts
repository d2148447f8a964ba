import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../../src/store/database/database.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { describeDatabase } from "../../support/database/databases.js";
import { plant, useFolder } from "../../support/folder.js";
import { startPipelineServer } from "../../support/server/pipeline-server.js";
import type { TestPlatform } from "../../support/server/platform-server.js";
import { until } from "../../support/until.js";
import { graphloom } from "../harness.js";
import { shellWords } from "../shell-words.js";

/*
 * Command lines for pipelines that scripts and guides in public repositories have for a tool with the same words, in an
 * order in which they could run.
 */

type Line = readonly [line: string, code: number, said: RegExp];

const name = "base-logs-pipeline";
const lines: readonly Line[] = [
  ["pipeline list", 0, /no pipelines/],
  [`pipeline create ${name}.yaml`, 2, /graphloom pipeline apply base-logs-pipeline\.yaml/],
  [`pipeline create ${name} --definition-path pipelines/${name}.yaml`, 0, /base-logs-pipeline/],
  [`pipeline create ${name} --definition-path pipelines/${name}.yaml`, 3, /exists|base-logs-pipeline/],
  ["pipeline create --name polymarket-extended-1 --definition '{\"sources\": []}'", 2, /<name> is missing/],
  [
    `pipeline create polymarket-extended-1 --definition '\n{\n  "sources": [ { "type": "subgraphEntity", "deployments": [ { "id": "QmVcgRByfiFSzZfi7RZ21gkJoGKG2jeRA1DrpvCQ6ficNb" } ] } ]\n}'`,
    1,
    /sources/,
  ],
  [`pipeline apply pipelines/${name}.yaml --status ACTIVE`, 0, /base-logs-pipeline/],
  [`pipeline apply ./pipelines/${name}.yaml`, 0, /already/],
  [`pipeline apply --path pipelines/${name}.yaml`, 2, /<config-path> is missing/],
  [`pipeline apply pipelines/${name}.yaml --from-snapshot last`, 0, /base-logs-pipeline/],
  [`pipeline apply pipelines/${name}.yaml --from-snapshot none`, 0, /base-logs-pipeline/],
  [`pipeline apply pipelines/${name}.yaml --use-latest-snapshot`, 0, /base-logs-pipeline/],
  [
    `pipeline apply pipelines/${name}.yaml --save-progress --skip-validation --force`,
    0,
    /base-logs-pipeline/,
  ],
  [`pipeline apply pipelines/${name}.yaml --skip-transform-validation`, 0, /base-logs-pipeline/],
  [`pipeline apply pipelines/${name}.yaml --from-snapshot absent`, 3, /no such snapshot/],
  [`pipeline update ${name} --definition-path pipelines/${name}.yaml`, 0, /base-logs-pipeline/],
  [`pipeline update ${name} --status PAUSED`, 0, /PAUSED|[Pp]aused|base-logs/],
  [`pipeline update ${name} --restart`, 2, /Unknown argument: restart/],
  [`pipeline start ${name}`, 0, /base-logs-pipeline/],
  [`pipeline restart ${name}`, 2, /from-snapshot/],
  [`pipeline restart ${name} --from-snapshot last --disable-monitoring`, 0, /base-logs-pipeline/],
  [`pipeline restart ${name} --from-snapshot none --disable-monitoring`, 0, /base-logs-pipeline/],
  [`pipeline get ${name} --definition`, 0, /anvil\.raw_logs/],
  [`pipeline get-definition ${name}`, 0, /anvil\.raw_logs/],
  [`pipeline get ${name} --outputFormat json`, 0, /"name": "base-logs-pipeline"/],
  [`pipeline info ${name}`, 0, /base-logs-pipeline/],
  [`pipeline info pipelines/${name}.yaml -v 1`, 0, /base-logs-pipeline/],
  [`pipeline get ${name} -v 1`, 0, /anvil\.raw_logs/],
  [`pipeline get ${name} -v 99`, 3, /99/],
  [`pipeline monitor ${name} -v 1 --max-refreshes 1`, 0, /Status/],
  ["pipeline list --include-runtime-details", 0, /base-logs-pipeline/],
  [`pipeline export ${name}`, 0, /anvil\.raw_logs/],
  [`pipeline start ${name} --from-snapshot last`, 0, /base-logs-pipeline/],
  [`pipeline start ${name} --use-latest-snapshot`, 0, /base-logs-pipeline/],
  ["pipeline cancel-update absent", 3, /absent/],
  [`pipeline snapshots create ${name}`, 0, /./],
  [`pipeline snapshot list ${name}`, 0, /./],
  [`pipeline snapshots list ${name} -v 1`, 0, /./],
  [`pipeline monitor ${name} --maxRefreshes 1`, 0, /Status/],
  [`pipeline monitor ${name} --update-request --max-refreshes 1`, 0, /./],
  [`pipeline snapshots list ${name}`, 0, /./],
  [`pipeline logs ${name} --tail -n 100`, 2, /pipeline monitor\?/],
  [`pipeline resize ${name} xl`, 0, /xl/],
  [`pipeline resize ${name} huge`, 2, /mem\.xxl/],
  [`pipeline pause ${name}`, 0, /base-logs-pipeline/],
  [`pipeline stop ${name}`, 0, /base-logs-pipeline/],
  ["pipeline list --outputVerbosity usablewithapplycmd --output yaml", 0, /name: base-logs-pipeline/],
  ["pipeline export --all", 0, /name: base-logs-pipeline/],
  [`pipeline validate pipelines/${name}.yaml`, 0, /./],
  [`pipeline validate --definition-path pipelines/${name}.yaml`, 0, /./],
  [`stream validate pipelines/${name}.yaml`, 0, /./],
  ["stream apply streams/logs.yaml", 0, /base-logs-stream/],
  ["stream apply streams/logs.yaml --skip-validation", 0, /already/],
  ["stream apply - -i", 2, /--inspect needs the path/],
  ["stream list", 0, /base-logs-stream/],
  ["stream get base-logs-stream", 0, /base-logs-stream/],
  ["stream state base-logs-stream", 0, /./],
  ["stream pause base-logs-stream", 0, /base-logs-stream/],
  ["stream resume base-logs-stream", 0, /base-logs-stream/],
  ["stream pause -f streams/logs.yaml", 0, /Paused base-logs-stream/],
  ["stream resume -f streams/logs.yaml", 0, /Started base-logs-stream/],
  ["stream restart base-logs-stream", 0, /Restarted base-logs-stream/],
  ["stream restart base-logs-stream --clear-state", 0, /Restarted base-logs-stream/],
  ["stream restart -f streams/logs.yaml --clear-state", 0, /Restarted base-logs-stream/],
  ["stream restart", 2, /Which stream\?/],
  ["stream pause base-logs-stream -f streams/logs.yaml", 2, /not both/],
  ["stream logs base-logs-stream --no-follow", 0, /has logged nothing\./],
  ["stream logs base-logs-stream --no-follow --tail 1 --timestamps", 0, /has logged nothing\./],
  ["stream logs base-logs-stream --no-follow --since 3600", 0, /has logged nothing in the last 3600 seconds/],
  ["stream logs base-logs-stream --no-follow --since -1", 2, /--since/],
  ["stream delete -f streams/logs.yaml", 0, /base-logs-stream/],
  ["stream delete base-logs-stream", 3, /base-logs-stream/],
  ["stream help", 0, /stream apply/],
  ["stream -V", 0, /^\d/],
  [`stream inspect absent -n parsed_swaps --print`, 3, /absent/],
  [`pipeline delete ${name}`, 2, /--force/],
  [`pipeline delete ${name} -f`, 0, /base-logs-pipeline/],
  [`pipeline get ${name}`, 3, /There is no pipeline/],
];

describeDatabase("lines of public repositories for pipelines", false, (databases) => {
  const anvil = useAnvil();
  const folder = useFolder();
  let database: Database;
  let server: TestPlatform;

  beforeAll(async () => {
    database = await databases.fresh();
    server = await startPipelineServer(database, { nodes: { anvil: anvil().url }, areIdle: true });
    plant(folder, {
      [`pipelines/${name}.yaml`]: `name: ${name}
resource_size: s
apiVersion: 3
sources:
  base_logs: { dataset_name: anvil.raw_logs, version: 1.0.0, type: dataset, start_at: latest }
transforms: {}
sinks:
  logs: { type: blackhole, from: base_logs }
`,
      "streams/logs.yaml": `name: base-logs-stream
sources:
  base_logs: { dataset_name: anvil.raw_logs, version: 1.0.0, type: dataset, start_at: latest }
sinks:
  logs: { type: blackhole, from: base_logs }
`,
    });
  });
  afterAll(() => server?.close());

  it(`${lines.length} commands of the manual do what it says, or are refused`, async () => {
    const wrong: string[] = [];
    const env = { GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: server.token };
    for (const [line, code, said] of lines) {
      // A change that a line before has begun may be under way.
      const ended = await until(async () => {
        const ran = await graphloom(folder, shellWords(line), { env });
        return !ran.err.includes("is under way") && ran;
      });

      const text = `${ended.out}${ended.err}`;
      const isRight = ended.code === code && said.test(text) && (code !== 2 || ended.out === "");
      if (!isRight) wrong.push(`${line}: ${ended.code}: ${text.slice(0, 300)}`);
    }
    expect(wrong).toEqual([]);
  });
});
