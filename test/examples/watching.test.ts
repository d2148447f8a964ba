import { readdirSync, readFileSync } from "node:fs";
import { parser } from "@prometheus-io/lezer-promql";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { AnsweredBy, FileOutcome, NodeOutcome } from "../../src/base/meters.js";
import type { HostedStatus } from "../../src/hosting/engine.js";
import { createServerMetrics } from "../../src/platform/metrics/server-metrics.js";
import { readExposition } from "../support/server/exposition.js";
import { freshStatus } from "../support/server/hosting-double.js";

const folder = new URL("../../examples/server/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}
interface Variable {
  readonly name: string;
  readonly query: string | { readonly query: string };
}
interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
}

const { groups }: { groups: readonly { readonly rules: readonly Rule[] }[] } = parse(read("alerts.yaml"));
const rules = groups.flatMap((group) => group.rules);
const dashboards = readdirSync(new URL("grafana/", folder)).map((file) => {
  const dashboard: Dashboard = JSON.parse(read(`grafana/${file}`));
  return { file, dashboard };
});

/** Everything that a server can export: the values of each label, by the name of the series. */
const known = new Map<string, Map<string, Set<string>>>();
/** Labels whose values are words of ours, and not names of users' things. */
const closed = new Set(["health", "paused", "outcome", "answered_by", "state"]);

beforeAll(async () => {
  const metrics = createServerMetrics();
  const { meters } = metrics;
  const from: Readonly<Record<AnsweredBy, true>> = {
    memory: true,
    shared: true,
    engine: true,
    refused: true,
    failed: true,
  };
  const outcomes: Readonly<Record<NodeOutcome, true>> = {
    answered: true,
    limited: true,
    refused: true,
    away: true,
  };
  const files: Readonly<Record<FileOutcome, true>> = {
    made: true,
    "too-large": true,
    cancelled: true,
    failed: true,
  };
  meters.answered({ method: "GET", route: "/health", status: 200, seconds: 1 });
  for (const each of Object.keys(from) as AnsweredBy[]) meters.queried("QmA", each, 1);
  for (const each of Object.keys(outcomes) as NodeOutcome[]) meters.askedNode("mainnet", each, 1, "http://a");
  for (const each of Object.keys(files) as FileOutcome[]) meters.madeFile("mainnet", each, 1, 1);
  for (const each of ["memory", "shared", "node"] as const) meters.called("mainnet", each, 1);
  for (const each of ["delivered", "retried", "failed"] as const) meters.delivered(each, 1);
  const status: HostedStatus = {
    ...freshStatus,
    headBlock: 1,
    headTimestamp: 1,
    chainHeadBlock: 2,
    handlersPerSecond: 1,
    waitsSince: 1,
  };
  const sink = { state: "stalled", rows: 1, blocks: { s: 1 }, lag: { s: 1 }, parked: 1, misses: 1 } as const;
  const pipeline = { project: "p", name: "n", status: "ACTIVE", memory: 1, starts: 1 } as const;
  const text = await metrics.text(
    {
      at: 1_000,
      database: {
        isUp: true,
        connections: { used: 1, idle: 1, waiting: 0, most: 2 },
        freeBytes: 1,
        locks: [{ since: 1, schema: "s", table: "t", holders: [{ pid: 1, program: "" }] }],
      },
      memory: { used: 1, limit: 2 },
      engines: [{ name: "e", isUp: true, troubles: [{ address: "admin", why: "" }] }],
      networks: [
        { network: "mainnet", isUp: true, head: 2, headAt: 1, state: { kind: "away", since: 1, why: "" } },
      ],
      deployments: [
        {
          deployment: "QmA",
          network: "mainnet",
          engine: "e",
          name: "n",
          isPaused: false,
          isShared: false,
          status,
        },
      ],
      outbox: { events: 1, age: 1 },
      pipelines: [
        { ...pipeline, runtime: "RUNNING", sinks: { s: sink }, nodes: { t: { rows: 1, rate: 1 } } },
      ],
    },
    { kind: "all" },
  );
  for (const { name, labels } of readExposition(text)) {
    const values = known.get(name) ?? new Map<string, Set<string>>();
    // Prometheus adds these.
    for (const [label, value] of Object.entries({ ...labels, instance: "", job: "" }))
      values.set(label, (values.get(label) ?? new Set()).add(value));
    known.set(name, values);
  }
  known.set(
    "up",
    new Map([
      ["instance", new Set()],
      ["job", new Set()],
    ]),
  );
});

/** What is wrong with a query: its syntax, a series or a label that no server exports, or a value it never has. */
function faultsIn(query: string): readonly string[] {
  const expression = query.replaceAll("$__rate_interval", "5m");
  const faults: string[] = [];
  let labels = new Map<string, Set<string>>();
  const all = new Set<string>();
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }) => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter: ({ type, node }) => {
      if (type.isError) faults.push(`no PromQL: ${query}`);
      if (type.name === "VectorSelector") {
        const name = textOf(node.getChild("Identifier") ?? { from: 0, to: 0 });
        const found = known.get(name);
        if (!found) faults.push(`no series ${name}`);
        labels = found ?? new Map();
        for (const label of labels.keys()) all.add(label);
      }
      if (type.name === "UnquotedLabelMatcher") {
        const label = textOf(node.getChild("LabelName") ?? { from: 0, to: 0 });
        const values = labels.get(label);
        if (!values) faults.push(`no label ${label}`);
        const wanted = textOf(node.getChild("StringLiteral") ?? { from: 0, to: 0 }).slice(1, -1);
        const missing = wanted.split("|").filter((value) => !values?.has(value));
        if (closed.has(label)) faults.push(...missing.map((value) => `no ${label}="${value}"`));
      }
    },
  });
  parser.parse(expression).iterate({
    enter: ({ type, node }) => {
      if (type.name !== "GroupingLabels") return;
      for (const label of node.getChildren("LabelName").map(textOf))
        if (!all.has(label)) faults.push(`no label ${label} to group by`);
    },
  });
  return faults;
}

it("a query with a mistake is found", () => {
  expect(faultsIn("graphloom_gone == 0")).toEqual(["no series graphloom_gone"]);
  expect(faultsIn("sum by (nettwork) (graphloom_node_up)")).toEqual(["no label nettwork to group by"]);
  expect(faultsIn('graphloom_node_requests_total{outcome="ok"}')).toEqual(['no outcome="ok"']);
  expect(faultsIn('graphloom_node_up{chain="a"}')).toEqual(["no label chain"]);
  expect(faultsIn("rate(graphloom_http_requests_total[5m) > 0").length).toBeGreaterThan(0);
});

describe("the alerting rules", () => {
  it.each(rules)("$alert asks for what a server exports", ({ expr }) => {
    expect(faultsIn(expr)).toEqual([]);
  });

  it("say how bad it is, what happened, and what to do, with labels that the series has", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, expr, labels, annotations } of rules) {
      expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(?:critical|warning)$/)]);
      expect(Object.keys(annotations), alert).toEqual(["summary", "description"]);
      const [series = ""] = /\b(?:graphloom_\w+|up)\b/.exec(expr) ?? [];
      const named = Object.values(annotations).flatMap((text) =>
        [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label = ""]) => label),
      );
      // An aggregation keeps only what it groups by.
      const [, grouped] = /by \(([^)]*)\)/.exec(expr) ?? [];
      const kept = grouped?.split(/, ?/) ?? [...(known.get(series)?.keys() ?? [])];
      expect(
        named.filter((label) => !kept.includes(label)),
        alert,
      ).toEqual([]);
    }
  });

  it("cover everything that the manual says to alert on", () => {
    const manual = readFileSync(new URL("../../docs/serve.md", import.meta.url), "utf8");
    const [, table = ""] = /Alert on these:\n([\s\S]+?)\n\n[^|]/.exec(manual) ?? [];
    const advised = [...table.matchAll(/^\| `(graphloom_\w+)`/gm)].map(([, name = ""]) => name);
    expect(advised.length).toBeGreaterThan(8);
    const used = rules.map(({ expr }) => expr).join("\n");
    // These say the same in other units.
    const same = ["graphloom_database_lock_waits", "graphloom_deployment_lag_blocks"];
    expect(advised.filter((name) => !used.includes(name) && !same.includes(name))).toEqual([]);
  });
});

describe.each(dashboards)("the dashboard $file", ({ file, dashboard }) => {
  it.each(dashboard.panels)("$title asks for what a server exports", ({ targets }) => {
    expect(targets.flatMap(({ expr }) => faultsIn(expr))).toEqual([]);
  });

  it("has panels side by side, with variables that it defines and that exist", () => {
    expect(dashboard.uid).toBe(`graphloom-${file.replace(".json", "")}`);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
    const variables = dashboard.templating.list;
    const text = JSON.stringify(dashboard);
    const used = new Set([...text.matchAll(/\$\{?([a-z]+)\}?/g)].map(([, name]) => name));
    expect([...used].sort()).toEqual(variables.map(({ name }) => name).sort());
    for (const { query } of variables) {
      if (typeof query === "string") continue;
      const [, series = "", label = ""] = /^label_values\((.+), (\w+)\)$/.exec(query.query) ?? [];
      expect(faultsIn(series)).toEqual([]);
      expect(known.get(series.replace(/\{.*/, ""))?.has(label)).toBe(true);
    }
    const legends = dashboard.panels.flatMap(({ targets }) => targets);
    for (const { expr, legendFormat } of legends)
      for (const [, label = ""] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect(expr.includes(label) || label === "instance", `${expr}: ${label}`).toBe(true);
  });
});
