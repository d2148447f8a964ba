import { dirname, posix, relative, resolve, sep } from "node:path";
import { visible } from "../../base/text/visible.js";
import type { Host } from "../../compiler/host.js";
import { writeNewFiles } from "../../machine/files/write-new-files.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Answers } from "./answers.js";
import { fileProblem, type GuideArguments } from "./guide-arguments.js";

/** Where to write a configuration. */
export interface ConfigPlace {
  /** As the user gave it. */
  readonly file: string;
  /** Whether the user agreed to overwrite an existing file. */
  readonly replaces: boolean;
}

/**
 * Determines where to write. An existing file is only overwritten if the user agrees.
 * @param host sees the existing files
 * @returns `undefined` after reporting that a file exists and may not be overwritten
 */
export async function choosePlace(
  { file, force }: GuideArguments,
  answers: Answers,
  host: Host,
  terminal: Terminal,
): Promise<ConfigPlace | undefined> {
  let given = file;
  for (;;) {
    const question = {
      text: "Which file should it be written to?",
      option: "a path, for example graphloom init pools.json",
    };
    const fallback = answers.canAsk ? await freeName(host) : "subgraph.json";
    const chosen = await answers.enter(given, question, { fallback, check: fileProblem });
    if (!(await exists(chosen, host)) || force) return { file: chosen, replaces: force };
    if (await answers.confirm(`${chosen} already exists. Overwrite it?`, false))
      return { file: chosen, replaces: true };
    if (!answers.canAsk || given !== undefined) {
      terminal.err(
        `${visible(chosen)} already exists, so nothing was written. Pass --force to overwrite it, or name a different file.\n`,
      );
      return undefined;
    }
    given = undefined;
  }
}

async function freeName(host: Host): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? "subgraph.json" : `subgraph-${number}.json`;
    if (!(await exists(name, host))) return name;
  }
}

async function exists(path: string, host: Host): Promise<boolean> {
  return (await host.readFile(path, 0)).kind !== "missing";
}

/** The path of a file as written in a configuration: relative to its folder, with `/`. */
export function pathFrom(config: string, path: string, cwd: string): string {
  const seen = relative(dirname(resolve(cwd, config)), resolve(cwd, path))
    .split(sep)
    .join("/");
  return seen.startsWith(".") ? seen : `./${seen}`;
}

/**
 * Where editors find the schema of configurations: in the package installed in the folder or above it. Without one, the
 * path that it would have in the folder.
 */
export async function schemaPath(
  config: string,
  host: Host,
  cwd: string,
): Promise<{ readonly path: string; readonly isThere: boolean }> {
  const schema = "node_modules/graphloom/schemas/config-v1.schema.json";
  const folder = dirname(resolve(cwd, config));
  for (let at = folder; ; at = dirname(at)) {
    const path = resolve(at, schema);
    if ((await host.readFile(path, 0)).kind === "too-large")
      return { path: pathFrom(config, path, cwd), isThere: true };
    if (dirname(at) === at) return { path: `./${schema}`, isThere: false };
  }
}

/** A path for an ABI beside a configuration. It is free, or its file already has the same content. */
export async function abiPathBeside(config: string, name: string, text: string, host: Host): Promise<string> {
  for (let number = 1; ; number++) {
    const file = `${name.replace(/[^A-Za-z0-9]/g, "") || "Contract"}${number === 1 ? "" : number}.json`;
    const path = posix.join(dirname(config).split(sep).join("/"), "abis", file);
    const read = await host.readFile(path, text.length * 4);
    if (read.kind === "missing") return path;
    if (read.kind === "bytes" && Buffer.from(read.bytes).toString("utf8") === text) return path;
  }
}

/** A file to write with a configuration. Its path is relative to the working directory. */
export interface FileBeside {
  readonly path: string;
  readonly text: string;
}

/** The file that tells coding agents how to work on a configuration; `undefined` if its folder has one already. */
export async function agentsFile(config: string, host: Host): Promise<FileBeside | undefined> {
  const path = posix.join(dirname(config).split(sep).join("/"), "AGENTS.md");
  return (await exists(path, host)) ? undefined : { path, text: await host.readTemplate("AGENTS.md") };
}

/**
 * Writes the configuration, and files beside it: all or none.
 * @param beside paths that are free, or whose files already have the same content
 * @returns the exit code
 */
export async function writeConfig(
  { file, replaces }: ConfigPlace,
  text: string,
  beside: readonly FileBeside[],
  terminal: Terminal,
): Promise<number> {
  const { cwd } = terminal;
  const own = { path: resolve(cwd, file), text, replaces };
  terminal.onWriting(true);
  try {
    const others = beside.map((one) => ({ path: resolve(cwd, one.path), text: one.text, replaces: true }));
    const outcome = await writeNewFiles([...others, own]);
    if (outcome.kind === "written") {
      const names = [file, ...beside.map(({ path }) => path)].map(visible);
      const last = names.length > 1 ? ` and ${names.at(-1)}` : "";
      terminal.out(`Wrote ${names.slice(0, Math.max(1, names.length - 1)).join(", ")}${last}.\n`);
      return exitCodes.clean;
    }
    const why = outcome.kind === "exists" ? "it already exists" : outcome.reason;
    terminal.err(`Nothing was written: ${visible(outcome.path)}: ${visible(why)}.\n`);
    return exitCodes.diagnostics;
  } finally {
    terminal.onWriting(false);
  }
}
