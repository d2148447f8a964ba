import { cpSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { reportDiagnostics } from "../../../src/cli/compile/report-diagnostics.js";
import { failureDiagnostic } from "../../../src/cli/run/failure.js";
import type { AscOutput } from "../../../src/compiler/asc/asc.js";
import { codes } from "../../../src/compiler/diagnostics/catalog.js";
import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { buildProject } from "../../../src/machine/compiler/build-project.js";
import { build, check } from "../../../src/machine/compiler/compile.js";
import { createNodeHost } from "../../../src/machine/files/host.js";
import { run } from "../../../src/runtime/run-subgraph.js";
import { createMemoryStore } from "../../../src/runtime/store/create-memory-store.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { graphloom, workplace } from "../../cli/harness.js";
import { asc as compiler } from "../../support/compiler/asc.js";
import { useFolder } from "../../support/folder.js";
import { makeSubgraphFolder } from "../../support/pipelines/subgraph-folder.js";
import { type PlayedEvent, playedChain } from "./played-chain.js";

/*
 * Every folder beside this file is named after a code. `graphloom check` must print the folder's `printed.txt` for its
 * configuration `subgraph.*`, and `graphloom pipeline validate` for its definition `pipeline.yaml`. A hand-written subgraph is built. `case.json` holds what cannot be a file here. UPDATE_GOLDEN=1 accepts the new output.
 */

/** The content of `case.json`. */
interface Case {
  /** The path to check instead of the folder's configuration: a path in the folder, or `-`. */
  readonly config?: string;
  /** The command that takes nothing but configurations, where `check` would take the file for something else. */
  readonly command?: "compile";
  /** Standard input. */
  readonly stdin?: string;
  /** Variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The sizes of files of zero bytes, by path. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** An event of the chain that the subgraph runs on, where every contract reverts. */
  readonly event?: PlayedEvent;
  /** The answer of the AssemblyScript compiler to every request. */
  readonly asc?: AscOutput;
  /** The engine that the definition is exported for, instead of being validated. */
  readonly engine?: string;
  /** Whether the definition is checked with a database of subgraphs. */
  readonly subgraphs?: boolean;
  /** Whether the folder is a hand-written subgraph, to be built. */
  readonly project?: boolean;
  /** The network that it is built for. */
  readonly network?: string;
}

const here = dirname(fileURLToPath(import.meta.url));
const folders = readdirSync(here, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const update = process.env.UPDATE_GOLDEN === "1";
const gravity = ["note", "warning", "error"];

let subgraphs: Promise<string> | undefined;
const place = useFolder();

/** Codes that only servers report: the tests of pipelines on a server expect them. */
const ofServers = ["unknown-secret"];

it("every code has a folder, and every folder has a code", () => {
  expect([...folders, ...ofServers].toSorted()).toEqual(codes.toSorted());
});

describe.each(folders)("%s", (code) => {
  const folder = join(here, code);
  const expected = join(folder, "printed.txt");

  it("prints the expected text, without other findings as severe", async () => {
    const printed = await checkFolder(folder);
    if (update) writeFileSync(expected, printed);
    expect(printed).toBe(existsSync(expected) ? readFileSync(expected, "utf8") : "");
    expect(gravest(printed, code)).toEqual([code]);
  });
});

/** The codes in a printed text that are at least as severe as the given code. */
function gravest(printed: string, code: string): string[] {
  const found = [...printed.matchAll(/^(error|warning|note)\[(.*?)\]/gm)].map(
    ([, severity = "", name = ""]) => ({
      name,
      rank: gravity.indexOf(severity),
    }),
  );
  const least = Math.max(...found.filter(({ name }) => name === code).map(({ rank }) => rank));
  return [...new Set(found.filter(({ rank }) => rank >= least).map(({ name }) => name))];
}

/** The standard error of checking a folder's configuration. */
async function checkFolder(folder: string): Promise<string> {
  const { config = configIn(folder), stdin, env, sizes, asc, event, engine, ...rest } = readCase(folder);
  if (event) return runFolder(event, folder, config);
  if (asc) return checkWith(asc, folder, config);
  if (rest.project === true) return buildFolder(folder, config, rest.network);
  const cwd = sizes ? withFiles(folder, sizes) : folder;
  const ofPipeline = engine === undefined ? "validate" : `export --engine ${engine}`;
  const command = config === "pipeline.yaml" ? `pipeline ${ofPipeline}` : (rest.command ?? "check");
  const database = rest.subgraphs === true ? ` --database ${await subgraphFolder()}` : "";
  const { err } = await graphloom(cwd, `${command} ${config}${database}`, {
    ...(stdin !== undefined && { stdin }),
    ...(env && { env }),
  });
  return err;
}

/** A folder with the database of some subgraphs, made when a case needs it. */
function subgraphFolder(): Promise<string> {
  subgraphs ??= makeSubgraphFolder(join(place, "database"));
  return subgraphs;
}

/** A copy of a folder with extra files that are too large to keep in the repository. */
function withFiles(folder: string, sizes: Readonly<Record<string, number>>): string {
  const copy = workplace(Object.fromEntries(Object.keys(sizes).map((path) => [path, ""])));
  cpSync(folder, copy, { recursive: true });
  for (const [path, size] of Object.entries(sizes)) truncateSync(join(copy, path), size);
  return copy;
}

/** The same with a simulated compiler. */
async function checkWith(answer: AscOutput, cwd: string, config: string): Promise<string> {
  const asc = { compile: async () => answer, prepare: () => undefined, close: async () => undefined };
  const { diagnostics } = await check(config, createNodeHost({ cwd }), { asc });
  return printed(diagnostics, cwd);
}

/** The same for a hand-written subgraph. */
async function buildFolder(cwd: string, manifest: string, network: string | undefined): Promise<string> {
  const { diagnostics } = await buildProject(manifest, createNodeHost({ cwd }), {
    asc: compiler,
    optimize: "fast",
    network: network === undefined ? undefined : { name: network, file: "networks.json" },
  });
  return printed(diagnostics, cwd);
}

/** The output of running a folder's configuration on a simulated chain. */
async function runFolder(event: PlayedEvent, cwd: string, config: string): Promise<string> {
  const compiled = await build(config, createNodeHost({ cwd }), { asc: compiler });
  const built = readRunnable({ manifest: "build/subgraph.yaml", files: compiled.files });
  const { failure } = await run(built, playedChain(built, event), createMemoryStore(built));
  return printed(failure ? [failureDiagnostic(built.network, failure, compiled.origins)] : [], cwd);
}

function printed(diagnostics: readonly Diagnostic[], cwd: string): string {
  let err = "";
  reportDiagnostics(
    diagnostics,
    { format: "text", color: false },
    {
      cwd,
      color: false,
      signal: new AbortController().signal,
      out: () => undefined,
      err: (text) => {
        err += text;
      },
      onWriting: () => undefined,
    },
  );
  return err;
}

function configIn(folder: string): string {
  return readdirSync(folder).find((name) => /^(?:subgraph|pipeline)\./.test(name)) ?? "subgraph.json";
}

function readCase(folder: string): Case {
  const path = join(folder, "case.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Case) : {};
}
