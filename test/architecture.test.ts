import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { groupBy } from "../src/base/group-by.js";
import { circlesIn } from "./support/architecture/circles.js";
import { importsOf, type SourceImport } from "./support/architecture/imports.js";
import { type Module, type ModuleUse, privateHelpers } from "./support/architecture/private-helpers.js";
import { type Rules, rulesInReadme } from "./support/architecture/readme-rules.js";
import { spreadLiterals } from "./support/architecture/spread-literals.js";
import { type TableUse, tableFaults, tablesMadeBy, tableUses } from "./support/architecture/table-uses.js";

const src = fileURLToPath(new URL("../src", import.meta.url));

/** The wings that a wing, or a file beside the wings, may import. */
const wings: Rules = {
  base: [],
  mcp: ["base"],
  chains: ["base"],
  web: ["base"],
  subgraph: ["base", "web"],
  api: ["base", "web"],
  compiler: ["base", "chains"],
  lsp: ["base", "chains", "compiler", "datasets", "pipelines"],
  runtime: ["base", "chains", "web", "subgraph"],
  deploy: ["base", "web", "subgraph", "api"],
  compare: ["base", "web", "subgraph"],
  discovery: ["base", "chains", "web", "compiler", "runtime"],
  machine: ["base", "subgraph", "compiler", "runtime", "datasets"],
  datasets: ["base", "chains", "runtime"],
  store: ["base", "subgraph", "runtime"],
  dumps: ["base", "subgraph", "runtime", "datasets", "store"],
  data: ["base", "chains", "runtime", "store", "pipelines"],
  query: ["base", "subgraph", "runtime", "store"],
  rpc: ["base", "web", "chains", "runtime"],
  hosting: ["base", "web", "subgraph", "runtime", "datasets", "deploy", "store", "query", "rpc"],
  pipelines: [
    "base",
    "chains",
    "web",
    "compiler",
    "runtime",
    "datasets",
    "store",
    "machine",
    "rpc",
    "hosting",
  ],
  platform: [
    "base",
    "chains",
    "web",
    "subgraph",
    "api",
    "deploy",
    "store",
    "data",
    "query",
    "rpc",
    "hosting",
    "pipelines",
    "dumps",
    "mcp",
  ],
  testing: ["base", "subgraph", "compiler", "runtime", "store", "query"],
  cli: [
    "base",
    "chains",
    "web",
    "subgraph",
    "api",
    "compiler",
    "runtime",
    "deploy",
    "compare",
    "discovery",
    "datasets",
    "data",
    "machine",
    "store",
    "dumps",
    "query",
    "rpc",
    "hosting",
    "pipelines",
    "platform",
    "testing",
    "mcp",
    "lsp",
  ],
  exports: ["base", "web", "subgraph", "api", "compiler", "runtime", "deploy", "machine"],
};

/** The rooms of a large wing that each of its rooms may import, or `types of` a room. */
const rooms: Readonly<Record<string, Rules>> = {
  compiler: {
    "host.ts": [],
    names: [],
    source: [],
    write: [],
    abi: ["types of source"],
    diagnostics: ["source"],
    model: ["types of source", "abi"],
    parse: ["types of host.ts", "source", "diagnostics"],
    syntax: ["types of diagnostics"],
    emit: ["source", "abi", "types of model"],
    fix: ["types of host.ts", "source", "diagnostics", "parse"],
    load: ["types of host.ts", "source", "diagnostics", "parse"],
    asc: ["types of diagnostics", "types of model", "types of emit"],
    validate: ["source", "abi", "diagnostics", "types of load"],
    "compilation.ts": ["types of diagnostics", "types of model", "types of emit", "types of asc"],
    resolve: [
      "names",
      "types of source",
      "abi",
      "diagnostics",
      "types of model",
      "syntax",
      "types of validate",
    ],
    scaffold: ["types of host.ts", "source", "abi", "diagnostics", "parse", "load", "validate"],
    describe: ["types of source", "abi", "types of model"],
    verdict: ["source", "abi", "diagnostics", "types of model", "syntax", "emit", "types of asc"],
    cache: [
      "types of host.ts",
      "types of source",
      "types of diagnostics",
      "types of emit",
      "types of asc",
      "types of compilation.ts",
    ],
    project: ["types of host.ts", "source", "abi", "diagnostics", "parse", "emit", "asc"],
    "pipeline.ts": [
      "types of host.ts",
      "diagnostics",
      "model",
      "emit",
      "load",
      "asc",
      "validate",
      "types of compilation.ts",
      "resolve",
      "describe",
      "verdict",
    ],
  },
  datasets: {
    parquet: [],
    archive: ["parquet"],
    tables: ["types of parquet"],
    rows: ["types of tables"],
    stored: ["types of archive", "rows", "tables"],
    extract: ["types of archive", "rows", "tables"],
    catalog: ["tables"],
    sync: ["parquet", "tables", "extract", "archive"],
  },
  pipelines: {
    changes: [],
    definition: ["types of changes", "sql"],
    sql: ["types of changes"],
    script: ["types of changes"],
    sources: ["changes", "types of definition"],
    http: [],
    plan: ["types of changes", "definition", "sql", "script", "sources", "http"],
    transforms: [
      "changes",
      "definition",
      "script",
      "types of plan",
      "types of sources",
      "state",
      "sinks",
      "http",
    ],
    state: ["changes", "types of sources"],
    sinks: ["changes", "definition", "plan", "types of sources", "http", "state"],
    runner: ["changes", "plan", "sql", "sources", "transforms", "state", "sinks"],
    audit: [
      "changes",
      "types of plan",
      "runner",
      "sinks",
      "types of sources",
      "types of sql",
      "state",
      "transforms",
    ],
    snapshots: ["changes", "plan", "runner", "state", "sinks"],
    tasks: ["changes", "types of plan", "sql", "runner", "sinks", "state", "audit"],
    testing: ["changes", "definition", "plan", "types of sources", "runner"],
    flink: ["changes", "definition", "types of plan", "state", "sinks", "sql"],
    machine: ["changes", "http", "script", "sinks", "sql", "state"],
    host: [
      "types of audit",
      "changes",
      "definition",
      "flink",
      "http",
      "machine",
      "plan",
      "runner",
      "sinks",
      "snapshots",
      "sources",
      "types of sql",
      "state",
      "tasks",
    ],
  },
  runtime: {
    chain: [],
    "errors.ts": [],
    files: ["chain"],
    ens: [],
    numbers: ["errors.ts"],
    "values.ts": ["types of chain"],
    abi: ["types of chain", "errors.ts", "types of values.ts"],
    store: ["types of chain", "errors.ts", "numbers", "types of poi"],
    wasm: ["types of chain", "errors.ts", "numbers", "values.ts", "abi"],
    poi: ["wasm"],
    indexer: [
      "chain",
      "errors.ts",
      "files",
      "types of ens",
      "types of values.ts",
      "abi",
      "store",
      "types of wasm",
      "types of poi",
    ],
    sources: ["chain", "indexer"],
    recording: ["chain"],
    "create-runner.ts": ["indexer", "wasm", "poi"],
    "run-subgraph.ts": [
      "create-runner.ts",
      "chain",
      "types of files",
      "types of ens",
      "types of store",
      "wasm",
      "indexer",
    ],
    "run-blocks.ts": [
      "create-runner.ts",
      "errors.ts",
      "types of chain",
      "types of files",
      "types of store",
      "types of indexer",
    ],
  },
  cli: {
    terminal: [],
    cache: ["terminal"],
    remote: ["terminal"],
    compile: ["terminal", "cache"],
    build: ["terminal", "cache", "compile", "named"],
    docs: ["terminal"],
    map: ["terminal", "compile", "named"],
    schema: ["terminal", "compile", "named"],
    login: ["terminal", "remote"],
    subgraph: ["terminal", "remote"],
    named: ["terminal", "cache", "remote", "compile", "subgraph"],
    project: ["terminal", "remote", "subgraph"],
    secret: ["terminal", "remote", "subgraph"],
    "hosted-sink": ["terminal", "remote", "subgraph", "secret"],
    archive: ["terminal", "remote", "subgraph"],
    dataset: ["terminal", "remote", "subgraph"],
    telemetry: ["terminal"],
    reader: ["terminal"],
    check: ["terminal", "compile", "named", "pipeline"],
    run: ["terminal", "cache", "compile", "named", "reader"],
    "external-data": ["terminal", "remote", "reader"],
    "hosted-pipeline": ["terminal", "remote", "compile", "subgraph"],
    pipeline: ["terminal", "remote", "compile", "subgraph", "reader", "run", "dataset", "hosted-pipeline"],
    data: ["terminal", "reader", "run", "pipeline", "serve"],
    deploy: ["terminal", "remote", "compile", "named", "subgraph", "run"],
    completion: ["terminal"],
    guide: ["terminal", "compile", "reader"],
    init: ["terminal", "remote", "compile", "named", "subgraph", "deploy", "guide"],
    test: ["terminal", "cache", "compile", "named"],
    serve: ["terminal", "cache", "reader", "mcp"],
    dev: ["terminal", "cache", "compile", "reader", "subgraph", "named", "run", "deploy", "serve", "mcp"],
    diff: ["terminal", "remote", "compile", "subgraph", "named"],
    compare: ["terminal", "remote", "named", "subgraph"],
    poi: ["terminal", "remote", "named", "subgraph", "compare"],
    why: ["terminal", "remote", "compile", "named", "subgraph", "pipeline"],
    doctor: ["terminal", "remote", "reader"],
    dump: ["terminal", "remote", "subgraph", "pipeline"],
    lsp: ["terminal", "cache", "pipeline"],
    mcp: [
      "terminal",
      "remote",
      "cache",
      "compile",
      "check",
      "named",
      "subgraph",
      "schema",
      "run",
      "diff",
      "deploy",
      "test",
      "pipeline",
      "why",
    ],
    "commands.ts": [
      "terminal",
      "cache",
      "compile",
      "check",
      "build",
      "docs",
      "mcp",
      "lsp",
      "map",
      "schema",
      "login",
      "subgraph",
      "project",
      "secret",
      "hosted-sink",
      "dataset",
      "run",
      "deploy",
      "completion",
      "guide",
      "init",
      "test",
      "serve",
      "dev",
      "diff",
      "compare",
      "why",
      "poi",
      "doctor",
      "dump",
      "archive",
      "external-data",
      "hosted-pipeline",
      "pipeline",
      "data",
      "telemetry",
    ],
    "program.ts": ["terminal", "commands.ts"],
    "main.ts": ["terminal", "program.ts", "telemetry"],
  },
  subgraph: {
    "bundle-error.ts": [],
    schema: [],
    "abi.ts": ["bundle-error.ts"],
    manifest: ["bundle-error.ts"],
    "build.ts": ["bundle-error.ts", "types of manifest"],
    "config-places.ts": ["bundle-error.ts"],
    "map-facts.ts": ["bundle-error.ts"],
    "carried-files.ts": ["bundle-error.ts", "types of build.ts", "config-places.ts", "map-facts.ts"],
    "adjust-build.ts": ["manifest", "build.ts"],
    "link-path.ts": ["bundle-error.ts", "manifest", "build.ts"],
    "zip-build.ts": ["bundle-error.ts", "types of build.ts"],
    "zip-entries.ts": ["bundle-error.ts"],
    "zip-packed.ts": ["zip-build.ts", "types of zip-entries.ts"],
    "unzip-bundle.ts": ["bundle-error.ts", "zip-entries.ts"],
    "collect-build.ts": [
      "bundle-error.ts",
      "manifest",
      "build.ts",
      "link-path.ts",
      "config-places.ts",
      "map-facts.ts",
    ],
    runnable: ["bundle-error.ts", "schema", "abi.ts", "manifest", "build.ts", "collect-build.ts"],
    deployment: ["bundle-error.ts", "manifest", "build.ts", "link-path.ts", "collect-build.ts"],
    map: ["manifest", "types of map-facts.ts"],
    "writers.ts": ["types of config-places.ts", "manifest", "types of map-facts.ts", "map"],
    changes: ["schema", "manifest"],
  },
  store: {
    database: [],
    tables: ["database"],
    logs: ["database"],
    deployments: ["database", "tables"],
    entities: ["database", "tables", "deployments"],
    "kept-stores.ts": ["types of database", "tables", "deployments", "entities"],
    "sample-stores.ts": ["types of database", "tables", "deployments", "entities"],
    "open.ts": ["database", "kept-stores.ts", "sample-stores.ts"],
  },
  hosting: {
    "engine.ts": [],
    "chain-ids.ts": ["types of engine.ts"],
    logs: ["engine.ts"],
    embedded: ["types of engine.ts", "logs"],
    datasets: ["embedded"],
    "graph-node": ["types of engine.ts", "embedded"],
  },
  platform: {
    "platform.ts": [],
    "problem.ts": [],
    "rate-limiter.ts": ["problem.ts"],
    "gate.ts": ["problem.ts"],
    "work-desk.ts": ["problem.ts"],
    "timed-read.ts": [],
    sealing: [],
    quotas: ["types of platform.ts", "problem.ts"],
    people: ["types of platform.ts", "problem.ts", "rate-limiter.ts", "gate.ts", "timed-read.ts", "sealing"],
    http: ["types of platform.ts", "problem.ts", "people"],
    "server-part.ts": ["types of platform.ts", "types of http"],
    subgraphs: ["types of platform.ts", "problem.ts", "quotas", "people"],
    figures: ["types of platform.ts", "types of server-part.ts", "subgraphs", "pipelines"],
    secrets: ["types of platform.ts", "problem.ts", "sealing", "people"],
    pipelines: ["types of platform.ts", "problem.ts", "quotas", "people", "subgraphs", "secrets"],
    "hosted-sinks": ["types of platform.ts", "problem.ts", "quotas", "people", "secrets"],
    webhooks: ["types of platform.ts", "problem.ts", "sealing", "quotas", "people", "subgraphs", "figures"],
    rewind: [
      "types of platform.ts",
      "problem.ts",
      "timed-read.ts",
      "people",
      "subgraphs",
      "pipelines",
      "webhooks",
    ],
    dumps: ["types of platform.ts", "problem.ts", "work-desk.ts", "people", "subgraphs"],
    "subgraph-references.ts": ["types of subgraphs", "pipelines", "webhooks"],
    edge: [
      "types of platform.ts",
      "problem.ts",
      "rate-limiter.ts",
      "sealing",
      "quotas",
      "people",
      "http",
      "types of server-part.ts",
    ],
    management: [
      "types of platform.ts",
      "problem.ts",
      "work-desk.ts",
      "people",
      "http",
      "types of server-part.ts",
      "subgraphs",
      "figures",
      "secrets",
      "pipelines",
      "hosted-sinks",
      "webhooks",
      "rewind",
      "dumps",
      "edge",
    ],
    endpoints: [
      "types of platform.ts",
      "problem.ts",
      "rate-limiter.ts",
      "gate.ts",
      "people",
      "http",
      "subgraphs",
    ],
    doors: [
      "types of platform.ts",
      "problem.ts",
      "rate-limiter.ts",
      "people",
      "http",
      "types of server-part.ts",
      "subgraphs",
      "endpoints",
    ],
    pages: [
      "types of platform.ts",
      "problem.ts",
      "gate.ts",
      "timed-read.ts",
      "sealing",
      "people",
      "http",
      "subgraphs",
      "figures",
      "secrets",
      "pipelines",
      "webhooks",
      "rewind",
      "edge",
      "subgraph-references.ts",
    ],
    mcp: ["problem.ts", "people", "http"],
    metrics: [
      "types of platform.ts",
      "people",
      "http",
      "pipelines",
      "types of server-part.ts",
      "subgraphs",
      "figures",
      "webhooks",
    ],
    "log-failures.ts": [],
    data: ["http", "log-failures.ts"],
    "reach.ts": [],
    "serve.ts": [
      "types of platform.ts",
      "sealing",
      "people",
      "http",
      "types of server-part.ts",
      "subgraphs",
      "reach.ts",
    ],
    "server-parts.ts": [
      "doors",
      "edge",
      "endpoints",
      "management",
      "mcp",
      "pages",
      "types of people",
      "types of http",
      "types of hosted-sinks",
      "pipelines",
      "types of server-part.ts",
      "types of subgraphs",
      "webhooks",
      "subgraph-references.ts",
    ],
    "open-hosting.ts": ["types of platform.ts", "sealing", "subgraphs"],
    "start-server.ts": [
      "types of doors",
      "types of endpoints",
      "figures",
      "log-failures.ts",
      "types of hosted-sinks",
      "types of management",
      "types of mcp",
      "metrics",
      "open-hosting.ts",
      "pages",
      "people",
      "serve.ts",
      "server-parts.ts",
    ],
  },
  deploy: {
    "deployed-at.ts": [],
    ipfs: [],
    "target.ts": [],
    "deploy-all.ts": ["types of target.ts"],
    "graph-node": ["ipfs", "types of target.ts"],
    management: ["types of target.ts"],
  },
};

/** The wings that only these rooms of a wing may import, and the wings that may import a room. */
const runningPipelines = {
  imports: ["machine", "rpc", "hosting"],
  rooms: ["machine", "host"],
  importers: { machine: ["cli"], host: ["cli", "platform"], flink: [] } as Rules,
};

const server = ["store", "query", "rpc", "hosting", "platform"];
/** The façades of the server: its only modules from which the command line imports values. */
const facades = [
  "hosting/graph-node/read-addresses.ts",
  "platform/doors/settings.ts",
  "platform/data/serve-data.ts",
  "platform/endpoints/options.ts",
  "platform/hosted-sinks/hosted-cluster.ts",
  "platform/hosted-sinks/sink-server.ts",
  "platform/pages/entities/named-history.ts",
  "platform/people/mail/smtp.ts",
  "platform/reach.ts",
  "platform/serve.ts",
  "platform/start-server.ts",
  // Use cases of subgraphs, as the management API has them.
  "platform/subgraphs/change-subgraphs.ts",
  "platform/subgraphs/deploy-subgraph.ts",
  "platform/subgraphs/named-builds.ts",
  "platform/subgraphs/named-proof.ts",
  "platform/subgraphs/query-addresses.ts",
  "platform/subgraphs/read-subgraphs.ts",
  "platform/subgraphs/tag-subgraphs.ts",
  "query/describe-api.ts",
  "store/open.ts",
];

/** Node modules that access the outside world, and the only places that may import them. */
const worldly: Rules = {
  "node:fs": [
    "machine",
    "pipelines/machine",
    "base/lock-file.ts",
    "base/lock-holder.ts",
    "base/process-name.ts",
    "compiler/write",
    "store/database",
    "platform/http/frame-style.ts",
    "platform/pages",
    "cli/main.ts",
    "platform/endpoints/query-page.ts",
  ],
  "node:fs/promises": ["machine", "pipelines/machine", "compiler/write"],
  "node:readline": ["cli/terminal/ask.ts"],
  "node:timers/promises": [
    "machine",
    "pipelines/machine",
    "compiler/write",
    "hosting/embedded/thread-world.ts",
  ],
  "node:dns": ["web/outgoing"],
  "node:dns/promises": ["web/outgoing"],
  "node:http": ["machine", "pipelines/machine", "web/outgoing"],
  "node:https": ["machine", "pipelines/machine", "web/outgoing"],
  // For http, to tell an address from other strings.
  "node:net": ["machine/processes", "web/outgoing", "store/database/postgres", "platform/http/forwarded.ts"],
  "node:worker_threads": ["base/failures.ts", "machine", "store/database", "rpc", "hosting", "pipelines"],
  "node:child_process": ["machine/logins/open-browser.ts", "machine/processes"],
};

/** The first part of a path: a folder, or a file beside folders. */
function first(path: string): string {
  return path.split("/")[0] as string;
}

function breach(found: Omit<SourceImport, "isOwnStep">): string | undefined {
  const { file, line, specifier } = found;
  if (specifier.startsWith("node:")) {
    const places = worldly[specifier];
    const fits = places?.some((place) => file === place || file.startsWith(`${place}/`)) ?? true;
    return fits ? undefined : `${file}:${line} imports ${specifier}`;
  }
  if (!specifier.startsWith(".")) return undefined;
  const target = targetOf(found);
  const [own, other] = [first(file), first(target)];
  if (own === "cli" && server.includes(other) && !found.isTypesOnly && !facades.includes(target))
    return `${file}:${line} imports values of ${target}, which is not a façade`;
  if (own !== other) {
    const room = target.split("/")[1] as string;
    const importers = other === "pipelines" ? runningPipelines.importers[room] : undefined;
    if (importers?.includes(own) === false) return `${file}:${line} imports pipelines/${room}`;
    const isRunning = own !== "pipelines" || runningPipelines.rooms.includes(file.split("/")[1] as string);
    const fits = wings[own]?.includes(other) && (isRunning || !runningPipelines.imports.includes(other));
    return fits ? undefined : `${file}:${line} imports ${other}`;
  }
  const rules = rooms[own];
  if (!rules) return undefined;
  const [ownRoom, otherRoom] = [file, target].map((path) => first(path.slice(own.length + 1)));
  if (ownRoom === undefined || otherRoom === undefined || ownRoom === otherRoom) return undefined;
  const may = rules[ownRoom] ?? [];
  const fits = may.includes(otherRoom) || (found.isTypesOnly && may.includes(`types of ${otherRoom}`));
  return fits
    ? undefined
    : `${file}:${line} imports ${found.isTypesOnly ? "types" : "values"} of ${otherRoom}`;
}

/** The file that an import names, as a path in the sources. */
function targetOf({ file, specifier }: Pick<SourceImport, "file" | "specifier">): string {
  return relative(src, resolve(join(src, dirname(file)), specifier)).replace(/\.js$/, ".ts");
}

const files = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => relative(src, join(entry.parentPath, entry.name)));
const imports = files.flatMap((file) => importsOf(file, readFileSync(join(src, file), "utf8")));

/** The code without comments, on the same lines. */
function codeOf(file: string): string {
  return readFileSync(join(src, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, (comment) =>
    comment.replace(/[^\n]/g, ""),
  );
}

describe("the import rules", () => {
  it("hold for every file", () => {
    expect(imports.length).toBeGreaterThan(1000);
    expect(imports.map(breach).filter((found) => found !== undefined)).toEqual([]);
  });

  it("cover every wing and every room", () => {
    expect([...new Set(files.map(first))].sort()).toEqual(Object.keys(wings).sort());
    for (const [wing, rules] of Object.entries(rooms)) {
      const inside = files.filter((file) => first(file) === wing).map((file) => file.slice(wing.length + 1));
      expect([...new Set(inside.map(first))].sort(), wing).toEqual(Object.keys(rules).sort());
    }
  });

  it("name only imports that still exist", () => {
    const used = new Set(imports.map((one) => `${first(one.file)} ${first(targetOf(one))}`));
    const named = Object.entries(wings).flatMap(([wing, may]) => may.map((other) => `${wing} ${other}`));
    expect(named.filter((pair) => !used.has(pair))).toEqual([]);
    const taken = new Set(imports.filter(({ file }) => first(file) === "cli").map(targetOf));
    expect(facades.filter((facade) => !taken.has(facade))).toEqual([]);
  });

  it("match the tables in the READMEs", () => {
    expect(rulesInReadme(readFileSync(join(src, "README.md"), "utf8"))).toEqual(wings);
    for (const [wing, rules] of Object.entries(rooms)) {
      expect(rulesInReadme(readFileSync(join(src, wing, "README.md"), "utf8")), wing).toEqual(rules);
    }
  });

  it.each<[string, Omit<SourceImport, "isOwnStep">, string | undefined]>([
    [
      "a wing that may not",
      { file: "compiler/emit/emit.ts", line: 1, specifier: "../../cli/program.js", isTypesOnly: true },
      "compiler/emit/emit.ts:1 imports cli",
    ],
    [
      "a room that may not",
      { file: "compiler/emit/emit.ts", line: 2, specifier: "../verdict/verdict.js", isTypesOnly: false },
      "compiler/emit/emit.ts:2 imports values of verdict",
    ],
    [
      "values where types may be",
      { file: "compiler/verdict/verdict.ts", line: 3, specifier: "../asc/asc-run.js", isTypesOnly: false },
      "compiler/verdict/verdict.ts:3 imports values of asc",
    ],
    [
      "types where types may be",
      { file: "compiler/verdict/verdict.ts", line: 3, specifier: "../asc/asc.js", isTypesOnly: true },
      undefined,
    ],
    [
      "a module of the server that is no façade",
      { file: "cli/run/run.ts", line: 5, specifier: "../../store/tables/lay-out.js", isTypesOnly: false },
      "cli/run/run.ts:5 imports values of store/tables/lay-out.ts, which is not a façade",
    ],
    [
      "types of the server, wherever they are",
      { file: "cli/run/run.ts", line: 5, specifier: "../../store/tables/layout.js", isTypesOnly: true },
      undefined,
    ],
    [
      "a phase of pipelines that reaches for the machine",
      { file: "pipelines/runner/stage.ts", line: 6, specifier: "../../rpc/nodes.js", isTypesOnly: true },
      "pipelines/runner/stage.ts:6 imports rpc",
    ],
    [
      "a wing that may not run pipelines",
      { file: "data/chains.ts", line: 7, specifier: "../pipelines/host/messages.js", isTypesOnly: true },
      "data/chains.ts:7 imports pipelines/host",
    ],
    [
      "a caller of Flink that does not go through host",
      {
        file: "cli/pipeline/run-on-flink.ts",
        line: 8,
        specifier: "../../pipelines/flink/job/job-text.js",
        isTypesOnly: true,
      },
      "cli/pipeline/run-on-flink.ts:8 imports pipelines/flink",
    ],
    [
      "a room of pipelines that knows Flink",
      {
        file: "pipelines/machine/state/open-kept-file.ts",
        line: 9,
        specifier: "../../flink/job/kept-job.js",
        isTypesOnly: true,
      },
      "pipelines/machine/state/open-kept-file.ts:9 imports types of flink",
    ],
    [
      "a module that touches the world",
      { file: "runtime/run.ts", line: 4, specifier: "node:fs", isTypesOnly: false },
      "runtime/run.ts:4 imports node:fs",
    ],
  ])("catch %s", (_, bad, message) => {
    expect(breach(bad)).toBe(message);
  });
});

describe("a folder", () => {
  it("has at most 25 files beside its subfolders", () => {
    const counts = groupBy(files, dirname);
    const large = [...counts].filter(([, inside]) => inside.length > 25).map(([folder]) => folder);
    expect(large).toEqual([]);
  });

  it("has no helper that belongs in the file of its only importer", () => {
    // Each file of these folders is one rule of a list.
    const isRule = ({ file }: Module): boolean =>
      /^compiler\/(?:validate\/rules|verdict\/traps)\//.test(file);
    const checked = modules().filter((module) => !isRule(module));
    expect(privateHelpers(checked, namedOutside())).toEqual([]);
  });

  it("may have a small file that is tested, loaded on demand, shared, long, or one of several with its role", () => {
    const use: ModuleUse = { file: "a/user.ts", isOwnStep: false };
    const helper: Module = { file: "a/helper.ts", lines: 59, importers: [use] };
    const user: Module = { file: "a/user.ts", lines: 200, importers: [] };
    const faults = (changed: Partial<Module>, ...others: readonly Module[]): readonly string[] =>
      privateHelpers([user, { ...helper, ...changed }, ...others], new Set(["a/tested.ts"]));
    expect(faults({})).toEqual(["a/helper.ts has one importer, user.ts, and belongs there"]);
    expect(faults({ lines: 60 })).toEqual([]);
    expect(faults({ file: "a/tested.ts" })).toEqual([]);
    expect(faults({ importers: [{ ...use, isOwnStep: true }] })).toEqual([]);
    expect(faults({ importers: [use, { file: "b/other.ts", isOwnStep: false }] })).toEqual([]);
    expect(faults({ importers: [{ file: "b/other.ts", isOwnStep: false }] })).toEqual([]);
    expect(privateHelpers([{ ...user, lines: 300 }, helper], new Set())).toEqual([]);
    const role = ["a/read-a.ts", "a/read-b.ts"].map((file) => ({ ...helper, file, lines: 99 }));
    expect(faults({ file: "a/read-c.ts" }, ...role)).toEqual([]);
  });

  function modules(): readonly Module[] {
    const uses = groupBy(
      imports.filter(({ specifier }) => specifier.startsWith(".")),
      targetOf,
    );
    return files.map((file) => {
      const byFile = groupBy(uses.get(file) ?? [], (use) => use.file);
      const importers = [...byFile].map(([importer, all]) => ({
        file: importer,
        isOwnStep: all.some(({ isOwnStep }) => isOwnStep),
      }));
      return { file, lines: readFileSync(join(src, file), "utf8").split("\n").length - 1, importers };
    });
  }

  /** The modules that tests, benchmarks and scripts import. */
  function namedOutside(): ReadonlySet<string> {
    const outside = ["test", "bench", "scripts"].flatMap((folder) => {
      const root = resolve(src, "..", folder);
      return readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(?:ts|mjs)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name));
    });
    const paths = outside.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/"(\.[^"\n]+)\.js"/g)].map(([, specifier]) =>
        relative(src, resolve(dirname(path), `${specifier}.ts`).replace(/\/dist\//, "/src/")),
      ),
    );
    // The package's build replaces this one with templates that are compiled already.
    const replaced = "compiler/emit/compile-templates.ts";
    return new Set([...paths, ...Object.values(worldly).flat(), replaced]);
  }
});

describe("a literal", () => {
  it("is not spread into a literal around it", () => {
    const found = files.flatMap((file) => spreadLiterals(codeOf(file)).map((line) => `${file}:${line}`));
    expect(found).toEqual([]);
  });

  it.each([
    ["f({ a, ...{ b: 1 } })", [1]],
    ["[\n  ...[a, b],\n  c,\n]", [2]],
    ["[...[[a], [b]]]", [1]],
    ["{ ...(a && { b }), ...c }", []],
    ["[...[a, b].map((one) => [one])]", []],
  ])("is found in the right place: %s", (code, lines) => {
    expect(spreadLiterals(code)).toEqual(lines);
  });
});

describe("two awaited calls", () => {
  it("are two statements if their order matters", () => {
    const pair = /(?:const|let|return) ?(?:\[[^\]=]*\] = )?\[await [^;]*?, await [^;]*?\];/;
    expect(files.filter((file) => pair.test(codeOf(file)))).toEqual([]);
  });
});

describe("an import cycle", () => {
  const arrows = imports
    .filter(({ specifier }) => specifier.startsWith("."))
    .map((one) => [one.file, targetOf(one)] as const);

  it("does not exist between files", () => {
    expect(circlesIn(arrows)).toEqual([]);
  });

  it("does not exist between the parts of a folder", () => {
    const folders = new Set(["", ...files.flatMap(foldersAbove)]);
    const found = [...folders].flatMap((folder) => {
      const inside = arrows.flatMap(([from, to]) => {
        const [one, other] = [childIn(folder, from), childIn(folder, to)];
        return one !== undefined && other !== undefined && one !== other ? [[one, other] as const] : [];
      });
      return circlesIn(inside).map((circle) => `${folder}: ${circle.join(", ")}`);
    });
    expect(found).toEqual([]);
  });
});

function foldersAbove(file: string): readonly string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, index) => `${parts.slice(0, index + 1).join("/")}/`);
}

/** The entry of a folder that leads to a file: a subfolder or the file itself. */
function childIn(folder: string, file: string): string | undefined {
  return file.startsWith(folder) ? first(file.slice(folder.length)) : undefined;
}

describe("the tables of a sink's state", () => {
  const written =
    /(?:insert into|update|delete from|create table(?: if not exists)?)\s+graphloom_flows\.(?!filled_tables\b)/i;

  it("are written by one folder", () => {
    const writers = files.filter((file) => written.test(codeOf(file)));
    expect(writers.length).toBeGreaterThan(1);
    expect(writers.filter((file) => !file.startsWith("pipelines/sinks/postgres/"))).toEqual([]);
  });
});

describe("the tables of the catalog", () => {
  const migrations = join(src, "store/database/migrations");
  const scripts = [
    ...readdirSync(migrations).map((name) => join(migrations, name)),
    join(src, "store/database/migrate.ts"),
  ];
  const tables = scripts.flatMap((path) => tablesMadeBy(readFileSync(path, "utf8")));
  const uses = files.flatMap((file) => tableUses(file, codeOf(file)));

  it("are written by one folder each, and read only by wings that may import that folder", () => {
    expect(tables.length).toBeGreaterThan(25);
    expect(uses.filter(({ isWrite }) => isWrite).length).toBeGreaterThan(80);
    // Servers of older versions write it, and go on beside newer ones.
    const unwritten = ["webhook_outcomes"];
    expect(tableFaults(uses, tables, unwritten, wings)).toEqual([]);
  });

  const query = "sql.query(`select 1`);\n";
  it.each<[string, string, readonly TableUse[]]>([
    ["an insertion", "`insert into graphloom.a (b)`", [use("a", 2, true)]],
    ["a change over two lines", "`update\n  only graphloom.a a set b = 1`", [use("a", 3, true)]],
    ["a deletion in a larger statement", "`with b as (delete from graphloom.a)`", [use("a", 2, true)]],
    ["a table that is emptied", "`truncate table graphloom.a`", [use("a", 2, true)]],
    ["a merge", '"MERGE INTO graphloom.a"', [use("a", 2, true)]],
    ["a table without a literal name", "`update graphloom.$" + "{table} set b = 1`", [use("$", 2, true)]],
    [
      "a table that is read for an insertion",
      "`insert into x select * from graphloom.a`",
      [use("a", 2, false)],
    ],
    [
      "a change of a table that was read",
      "`update graphloom.a set b = c from graphloom.d where exists (select from graphloom.e for update)`",
      [use("a", 2, true), use("d", 2, false), use("e", 2, false)],
    ],
  ])("are recognised in %s", (_, sql, found) => {
    expect(tableUses("hosting/logs/a.ts", query + sql)).toEqual(found);
  });

  it.each<[string, readonly TableUse[], string]>([
    [
      "two rooms write",
      [use("a", 1, true), { ...use("a", 2, true), file: "hosting/embedded/b.ts" }],
      "hosting/embedded/b.ts:2 writes a, as hosting/logs does",
    ],
    ["nothing writes", [use("a", 1, false)], "nothing writes a"],
    [
      "do not exist",
      [use("a", 1, true), use("b", 1, true)],
      "hosting/logs/a.ts:1 writes b, which is not a table",
    ],
    [
      "a write does not name",
      [use("a", 1, true), use("$", 1, true)],
      "hosting/logs/a.ts:1 writes $, which is not a table",
    ],
    [
      "a read does not name",
      [use("a", 1, true), use("$", 1, false)],
      "hosting/logs/a.ts:1 reads a table that it does not name",
    ],
    [
      "a wing below reads",
      [use("a", 1, true), { ...use("a", 1, false), file: "store/tables/b.ts" }],
      "store/tables/b.ts:1 reads a, which hosting writes",
    ],
    [
      "are listed as not written, and are",
      [use("a", 1, true), use("c", 1, true)],
      "c is not a table without a writer",
    ],
  ])("the test refuses tables that %s", (_, found, fault) => {
    const faults = tableFaults(found, ["a", "c"], ["c"], wings);
    expect(faults).toEqual([fault]);
  });

  function use(table: string, line: number, isWrite: boolean): TableUse {
    return { file: "hosting/logs/a.ts", line, table, isWrite };
  }
});

describe("access to the outside world", () => {
  it("reaches most parts as an argument: clock and random numbers", () => {
    const taken =
      /\b(?:globalThis|setTimeout|setInterval|setImmediate|Date\.now|new Date\(\)|performance\.|Math\.random)/;
    // PGlite takes its decoder from its own thread.
    // What scripts must not use is named there.
    const free =
      /^(?:machine|cli|pipelines\/machine)\/|^pipelines\/script\/(?:check-script|sandbox-code)\.ts|^hosting\/embedded\/thread-world\.ts|^store\/database\/pglite\/pglite-worker\.ts|^compiler\/(?:write|asc\/load-asc\.ts|diagnostics\/catalog)/;
    expect(files.filter((file) => !free.test(file) && taken.test(codeOf(file)))).toEqual([]);
  });

  it("is left to the command line: process and console", () => {
    // The worker silences the compiler in its own thread. Processes start others, and end. The writers' own files hold the process id.
    // A failure that no log hears is a warning of the process.
    const free =
      /^cli\/|^base\/failures\.ts|^compiler\/write\/|^machine\/(?:machine|compiler\/asc-worker|files\/replace-file|processes\/.*)\.ts/;
    const taken = /\b(?:process\.|console\.)/;
    expect(files.filter((file) => !free.test(file) && taken.test(codeOf(file)))).toEqual([]);
  });
});

describe("the nodes of a server", () => {
  it("share one gateway for each network, which is created in one place", () => {
    const taken = /\bnew (?:Gateway|NodePool|NodeAddress|FairQueue)\(/;
    const free = /^rpc\/(?:gateway|node-pool)\.ts$/;
    expect(files.filter((file) => !free.test(file) && taken.test(codeOf(file)))).toEqual(["rpc/nodes.ts"]);
    expect(files.filter((file) => /\bnew Nodes\(/.test(codeOf(file)))).toEqual(["platform/serve.ts"]);
  });
});

describe("SQL that is not escaped", () => {
  it("come only from the tag, the quoting, the migration scripts and the expressions of aggregations", () => {
    const free = [
      "query/plan/current-sql.ts",
      "store/database/database.ts",
      "store/database/migrate.ts",
      "store/database/quote.ts",
      "store/tables/roll-up-sql.ts",
      "pipelines/sinks/duckdb/column-types.ts",
      "pipelines/sinks/duckdb/write-changes.ts",
      "pipelines/sinks/mysql/mysql-text.ts",
    ];
    const taken = /\buncheckedSql\b|\bas SqlFragment\b|<SqlFragment>/;
    expect(files.filter((file) => taken.test(codeOf(file)))).toEqual(free);
  });

  it("name the versions of an entity in one place", () => {
    const taken = /\bblock_range\b|\bblock\$(?!\{)/;
    // The compiler reserves the names, and the fields shown for a row exclude them.
    const free = [
      "compiler/names/field-names.ts",
      "platform/webhooks/shown-row.ts",
      "pipelines/sources/entities/entity-columns.ts",
      "subgraph/schema/check-entities.ts",
    ];
    const found = files.filter((file) => !free.includes(file) && taken.test(codeOf(file)));
    expect(found).toEqual(["store/tables/versions-sql.ts"]);
  });
});
