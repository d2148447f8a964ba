import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Optimization } from "../../../src/compiler/asc/asc.js";
import {
  type BinaryenModule,
  type OptimizableModule,
  optimizeFast,
} from "../../../src/compiler/asc/optimize-fast.js";

/** The verdict of graph-cli on one manifest. Paths are relative to the project, with forward slashes. */
export interface Verdict {
  readonly ok: boolean;
  /** Everything the tools printed. */
  readonly output: string;
  /** What `graph codegen` wrote: `generated/…`. */
  readonly generated: ReadonlyMap<string, string>;
  /** What `graph build` wrote: `build/…`. */
  readonly build: ReadonlyMap<string, Uint8Array>;
}

/** A project is accepted when all of its manifests are. Its own files are those of the first manifest. */
export interface Judgement extends Verdict {
  readonly manifests: ReadonlyMap<string, Verdict>;
}

export interface JudgeOptions {
  /**
   * "fast" uses our fast optimization in place of graph-cli's, which takes most of the time of a build. Everything else
   * is graph-cli's, so its WASM must equal ours to the byte. "full", the default, uses graph-cli's own.
   */
  readonly build?: Optimization;
}

export interface Judge {
  /** Judges a project without touching it. */
  judge(directory: string, options?: JudgeOptions): Promise<Judgement>;
  close(): void;
}

/** Paths of the manifests to judge. Mappings may use the bindings of all, so those are made first, in order. */
interface Question {
  readonly manifest: string;
  readonly all: readonly string[];
  readonly recipe?: readonly Call[];
}

/** The call that optimizes a module. */
interface Call {
  readonly owner: "binaryen" | "module";
  readonly method: string;
  readonly values: readonly unknown[];
}

interface Answer {
  readonly ok: boolean;
  readonly output: string;
  /** Whether a command failed, for this manifest or for a different one. */
  readonly hasFailed: boolean;
}

type Ask = (question: Omit<Question, "recipe">) => Promise<Answer>;

const nodeModules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const graphCli = join(nodeModules, "@graphprotocol", "graph-cli");
const childFile = fileURLToPath(new URL("./judge-child.mjs", import.meta.url));
const patience = 180_000;
const notCopied = new Set(["node_modules", "generated", "build"]);

/**
 * The optimization of frequently judged projects, by us and by graph-cli, so that the WASM can be compared to the byte.
 * With GRAPHLOOM_JUDGE=full, both optimize as graph-cli does.
 */
export const judgedBuild: Optimization = process.env.GRAPHLOOM_JUDGE === "full" ? "full" : "fast";

let shared: Judge | undefined;

/**
 * Runs `graph codegen` on all manifests of a project and `graph build` on each, in a process that all
 * files of a test worker share. It ends with the worker.
 */
export function judge(directory: string, options?: JudgeOptions): Promise<Judgement> {
  shared ??= openJudge();
  return shared.judge(directory, options);
}

/**
 * A judge of many projects. It keeps one process: graph-cli takes 5 s for its first project, mostly to warm up,
 * and 1.5 s for the next. A process that has rejected a project is replaced, because graph-cli leaves exit
 * handlers behind when it fails.
 */
export function openJudge(): Judge {
  let child: ChildProcess | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  const discard = (): void => {
    child?.kill("SIGKILL");
    child = undefined;
  };
  const ask = async (question: Question): Promise<Answer> => {
    child ??= startChild();
    const answer = await askChild(child, question);
    if (answer.hasFailed) discard();
    return answer;
  };
  return {
    judge(directory, { build = "full" } = {}) {
      const recipe = recipeOf(build);
      const how = recipe ? { recipe } : {};
      const turn = queue.then(() => judgeProject(directory, (question) => ask({ ...question, ...how })));
      queue = turn.catch(() => undefined);
      return turn;
    },
    close: discard,
  };
}

async function judgeProject(directory: string, ask: Ask): Promise<Judgement> {
  const names = readdirSync(directory)
    .filter((name) => /^subgraph(\..+)?\.ya?ml$/.test(name))
    .sort();
  const manifests = new Map<string, Verdict>();
  for (const name of names) manifests.set(name, await judgeManifest(directory, name, names, ask));
  const verdicts = [...manifests.values()];
  return {
    ok: verdicts.length > 0 && verdicts.every(({ ok }) => ok),
    output:
      names.length === 0 ? `no manifest in ${directory}\n` : verdicts.map(({ output }) => output).join(""),
    generated: verdicts[0]?.generated ?? new Map(),
    build: verdicts[0]?.build ?? new Map(),
    manifests,
  };
}

async function judgeManifest(
  directory: string,
  manifest: string,
  names: readonly string[],
  ask: Ask,
): Promise<Verdict> {
  const project = mkdtempSync(join(tmpdir(), "graphloom-judge-"));
  try {
    await cp(directory, project, {
      recursive: true,
      filter: (path) => !notCopied.has(relative(directory, path)),
    });
    // A link gives the same WASM bytes as an installation: the path of graph-ts, which they hold, is the same.
    symlinkSync(nodeModules, join(project, "node_modules"));
    const all = names.map((name) => join(project, name));
    const { ok, output } = await ask({ manifest: join(project, manifest), all });
    const generated = readTree(project, "generated");
    return {
      ok,
      output,
      generated: new Map([...generated].map(([path, bytes]) => [path, bytes.toString("utf8")])),
      build: readTree(project, "build"),
    };
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** The steps of an optimization that graph-cli does not have, for a process that cannot load it. */
export function recipeOf(build: Optimization): readonly Call[] | undefined {
  if (build !== "fast") return undefined;
  const calls: Call[] = [];
  const noting = (owner: Call["owner"]) =>
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          (...values: unknown[]) =>
            void calls.push({ owner, method: String(method), values }),
      },
    );
  optimizeFast(noting("binaryen") as BinaryenModule, noting("module") as OptimizableModule);
  return calls;
}

function startChild(): ChildProcess {
  const child = fork(childFile, [graphCli], { stdio: ["ignore", "ignore", "pipe", "ipc"], execArgv: [] });
  child.unref();
  child.channel?.unref();
  return child;
}

function askChild(child: ChildProcess, question: Question): Promise<Answer> {
  return new Promise((resolve) => {
    const lastWords: Buffer[] = [];
    const watchdog = setTimeout(() => child.kill("SIGKILL"), patience);
    const hear = (chunk: Buffer): unknown => lastWords.push(chunk);
    const answered = (answer: Answer): void => finish(answer);
    const died = (code: number | null, signal: string | null): void => {
      const reason = `graph-cli ended with ${code === null ? `signal ${signal}` : `code ${code}`}\n`;
      finish({ ok: false, output: Buffer.concat(lastWords).toString("utf8") + reason, hasFailed: true });
    };
    const finish = (answer: Answer): void => {
      clearTimeout(watchdog);
      child.channel?.unref();
      child.off("message", answered).off("close", died);
      child.stderr?.off("data", hear);
      resolve(answer);
    };
    child.channel?.ref();
    child.on("message", answered).on("close", died);
    child.stderr?.on("data", hear);
    child.send(question);
  });
}

function readTree(project: string, folder: string): Map<string, Buffer> {
  const entries = tryReadTree(join(project, folder))
    .map((path) => [relative(project, path).split(sep).join("/"), readFileSync(path)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(entries);
}

function tryReadTree(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !basename(entry.name).startsWith("."))
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

/** The part of the global that Node has and `@types/node` leaves to the DOM's types. */
declare const WebAssembly: {
  readonly Module: {
    new (bytes: Uint8Array): object;
    exports(module: object): readonly { readonly name: string }[];
    imports(module: object): readonly { readonly module: string; readonly name: string }[];
  };
};

/** The exports and imports of a WASM module, sorted. */
export interface WasmInterface {
  readonly exports: readonly string[];
  readonly imports: readonly string[];
}

export function wasmInterface(bytes: Uint8Array): WasmInterface {
  const module = new WebAssembly.Module(bytes);
  return {
    exports: WebAssembly.Module.exports(module)
      .map(({ name }) => name)
      .sort(),
    imports: WebAssembly.Module.imports(module)
      .map((wanted) => `${wanted.module}.${wanted.name}`)
      .sort(),
  };
}
