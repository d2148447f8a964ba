import { visible } from "../../base/text/visible.js";
import type { ConfigOptions } from "../../compiler/scaffold/read-options.js";
import type { ProjectFiles } from "../../compiler/write/plan.js";
import { createNodeHost } from "../../machine/files/host.js";
import { noteReads } from "../../machine/files/noted-host.js";
import {
  type CompiledProject,
  compileConfig,
  compileProject,
  projectOf,
} from "../compile/compile-project.js";
import { reportCompiled, terminalFor } from "../compile/report-diagnostics.js";
import { writeTarget } from "../compile/write-target.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type InitArguments, type InitTask, readInitArguments } from "./init-arguments.js";

/** The outcome of `subgraph init`. */
export type InitOutcome =
  | {
      readonly kind: "written";
      readonly project: CompiledProject;
      /** The target as given, or the subgraph's name. */
      readonly target: string;
    }
  /** Nothing was written, and the reason is already reported. */
  | { readonly kind: "ended"; readonly code: number };

/** A compiled project, and the files of a configuration that was generated from options. */
interface Initiated {
  readonly kind: "compiled";
  readonly project: CompiledProject;
  readonly target: string | undefined;
  readonly seeds?: ProjectFiles;
  /** Path of the configuration among the seeds. */
  readonly config?: string;
}

type Ended = Extract<InitOutcome, { kind: "ended" }>;

/**
 * Compiles a configuration, which may first be generated from options, writes the project, and reports the result.
 */
export async function initProject(args: InitArguments, terminal: Terminal): Promise<InitOutcome> {
  const task = readInitArguments(args);
  const { from } = task;
  const compiled =
    from.kind === "config"
      ? await fromConfig(from.path, task, args, terminal)
      : await fromOptions(from.options, from.target, task, args, terminal);
  if (compiled.kind === "ended") return compiled;
  const { project, seeds, config, target } = compiled;
  if (target === undefined)
    throw new UsageError(
      'Say where to write: pass a subgraph name or --target-path, or set "name" in the configuration.',
    );
  const { name, version } = project.model;
  if (args.deploy && (name === undefined || version === undefined))
    throw new UsageError(
      'A deployment needs a name and a version: pass <name>/<version>, such as pools/1.0.0, or set it as "name" in the configuration.',
    );
  const told = terminalFor(args.output === "json" ? { ...args, format: "json" } : args, terminal);
  const code = await writeTarget(target, { ...project, force: args.force, seeds }, told);
  if (code !== exitCodes.clean) return { kind: "ended", code };
  told.out(project.summary);
  if (config !== undefined) told.out(goOn(target, config, args));
  return { kind: "written", project, target };
}

async function fromConfig(
  path: string,
  task: InitTask,
  args: InitArguments,
  terminal: Terminal,
): Promise<Initiated | Ended> {
  const project = await compileProject(path, args.build, compileOptions(task, args), args, terminal);
  if (!project) return { kind: "ended", code: exitCodes.diagnostics };
  return { kind: "compiled", project, target: args.targetPath ?? project.model.name };
}

async function fromOptions(
  options: ConfigOptions,
  target: string,
  task: InitTask,
  args: InitArguments,
  terminal: Terminal,
): Promise<Initiated | Ended> {
  const { configFromOptions } = await import("../../compiler/scaffold/config-from-options.js");
  const host = noteReads(createNodeHost({ cwd: terminal.cwd }), terminal.cwd);
  const made = await configFromOptions(options, host);
  if (made.kind === "usage") throw new UsageError(made.message);
  if (made.kind === "faulty") {
    reportCompiled(made.diagnostics, false, args, terminal);
    return { kind: "ended", code: exitCodes.diagnostics };
  }
  const compiled = await compileConfig(made.path, args.build, compileOptions(task, args), args, terminal, {
    host: made.host,
  });
  const project = projectOf(compiled, host.inputs);
  reportCompiled(made.bringHome(compiled.diagnostics), project !== undefined, args, terminal);
  if (!project) return { kind: "ended", code: exitCodes.diagnostics };
  if (options.startBlock === undefined)
    terminal.err(
      "warning: indexing starts at block 0, which takes a long time on most chains. " +
        "Pass the block of the contract's creation: --start-block <number>\n",
    );
  return { kind: "compiled", project, target, seeds: made.files, config: made.path };
}

function compileOptions(
  { named }: InitTask,
  { optimize, description, callHandlers }: InitArguments,
): Parameters<typeof compileConfig>[2] {
  return { ...named, optimize, description, callHandlers };
}

/**
 * The next command lines, which start from the new configuration. They repeat the options that it cannot hold.
 */
function goOn(target: string, config: string, { description, build }: InitArguments): string {
  const again = description
    ? `graphloom subgraph init --from-config ${config} --target-path . --description …`
    : `graphloom compile ${config} --out .`;
  return (
    `The configuration is ${visible(target)}/${config}. After changing it, run in ${visible(target)}:\n` +
    `  ${again}${build ? " --build" : ""} --force\n`
  );
}
