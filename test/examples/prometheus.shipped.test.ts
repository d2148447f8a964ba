import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import {
  demoFiles,
  type PlayedNode,
  type Served,
  startPlayedNode,
  startServed,
} from "../cli/serve/served.js";
import { testFolder } from "../support/folder.js";
import { until } from "../support/until.js";

const folder = fileURLToPath(new URL("../../examples/server/", import.meta.url));
const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;
const hasPromtool = has("promtool");
const hasPrometheus = has("prometheus");

it.skipIf(!hasPromtool)("promtool accepts the alerting rules", () => {
  const { status, stderr } = spawnSync("promtool", ["check", "rules", `${folder}alerts.yaml`], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
});

it.skipIf(hasPromtool)(
  "this machine cannot check the alerting rules, as promtool is not installed",
  () => undefined,
);

describe.runIf(hasPrometheus)("a real Prometheus", () => {
  const ended: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const end of ended) await end();
  });

  it("reads a real server with the key of all projects, and can evaluate all rules and panels", async () => {
    const key = "metrics-key-0123456789abcdef";
    const home = testFolder();
    const node: PlayedNode = await startPlayedNode("key");
    ended.unshift(() => node.stop());
    const served: Served = await startServed(["--data", home, "--metrics", "key"], home, {
      GRAPHLOOM_RPC_SEPOLIA: node.url,
      GRAPHLOOM_METRICS_KEY: key,
    });
    ended.unshift(() => stop(served.child));
    await served.deploy(await demoFiles());
    await served.indexed(node.head());
    const port = await freePort();
    const ask = await startPrometheus(home, port, key, new URL(served.address).host);
    // All that Prometheus has read, once it has read the deployment.
    const name = 'graphloom_deployment_head_block{name="demo/1.0.0"}';
    await until(async () => (await ask(`query?query=${encodeURIComponent(name)}`)).result?.length === 1);
    const { activeTargets } = await ask("targets");
    expect(activeTargets).toMatchObject([{ health: "up", lastError: "" }]);

    // Each rule is evaluated without a failure, and only what is the case fires.
    const groups = await until(async () => {
      const { groups: all } = await ask("rules");
      return all?.every(({ rules }) => rules.every(({ health }) => health !== "unknown")) && all;
    });
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(15);
    expect(rules.filter(({ health }) => health !== "ok")).toEqual([]);

    // All panels can be asked, with Grafana's variables as it fills them for "All".
    const panels = readdirSync(`${folder}grafana`).flatMap((file) => {
      const { panels: all } = JSON.parse(readFileSync(`${folder}grafana/${file}`, "utf8")) as Dashboard;
      return all.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ file, title, expr })));
    });
    expect(panels.length).toBeGreaterThan(20);
    const shown = new Map<string, number>();
    for (const { file, title, expr } of panels) {
      const query = expr.replaceAll("$__rate_interval", "1m").replaceAll(/\$\{?[a-z]+\}?/g, ".*");
      const { result = [] } = await ask(`query?query=${encodeURIComponent(query)}`);
      shown.set(`${file} ${title}`, (shown.get(`${file} ${title}`) ?? 0) + result.length);
    }
    // A server with one subgraph fills most panels, and those of pipelines are empty.
    const filled = [...shown].filter(([, series]) => series > 0).map(([panel]) => panel.split(" ")[0]);
    expect(filled.filter((file) => file === "server.json").length).toBeGreaterThan(5);
    expect(filled.filter((file) => file === "subgraphs.json").length).toBeGreaterThan(3);
  });

  /** Starts a Prometheus as the README configures it. @returns asks its API */
  async function startPrometheus(home: string, port: number, key: string, target: string) {
    const readme = readFileSync(`${folder}README.md`, "utf8");
    const [, scrape = ""] = /```yaml\n(scrape_configs:\n[\s\S]*?)```/.exec(readme) ?? [];
    expect(scrape).toContain('targets: ["127.0.0.1:8030"]');
    writeFileSync(`${home}/graphloom-key`, key);
    copyFileSync(`${folder}alerts.yaml`, `${home}/alerts.yaml`);
    const config = scrape
      .replace("/etc/prometheus/graphloom-key", `${home}/graphloom-key`)
      .replace("127.0.0.1:8030", target);
    writeFileSync(
      `${home}/prometheus.yml`,
      `global: { scrape_interval: 1s, evaluation_interval: 1s }\nrule_files: [alerts.yaml]\n${config}`,
    );
    const child = spawn(
      "prometheus",
      [
        `--config.file=${home}/prometheus.yml`,
        `--storage.tsdb.path=${home}/prometheus`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: "ignore" },
    );
    ended.unshift(() => stop(child));
    const ask = async (path: string): Promise<Answer> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
      const { status, data, error } = (await answer.json()) as {
        status: string;
        data: Answer;
        error?: string;
      };
      if (status !== "success") throw new Error(`${decodeURIComponent(path)}: ${error}`);
      return data;
    };
    await until(async () => ask("targets").catch(() => undefined));
    return ask;
  }
});

it.skipIf(hasPrometheus)(
  "this machine cannot try the rules and dashboards in Prometheus, which is not installed",
  () => undefined,
);

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

/** The parts of Prometheus's answers that this test reads. */
interface Answer {
  readonly result?: readonly unknown[];
  readonly activeTargets?: readonly unknown[];
  readonly groups?: readonly {
    readonly rules: readonly { readonly health: string; readonly name: string }[];
  }[];
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const over = once(child, "exit");
  child.kill("SIGTERM");
  await over;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
