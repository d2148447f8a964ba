import { resolve } from "node:path";
import type { Optimization } from "../../compiler/asc/asc.js";
import type { ProjectComparison } from "../../compiler/write/compare-project.js";
import type { ProjectFiles } from "../../compiler/write/plan.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { CacheArguments, ReportArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type CompiledProject, compileProject } from "./compile-project.js";
import { terminalFor } from "./report-diagnostics.js";
import { listed, writeTarget } from "./write-target.js";

export interface CompileArguments extends ReportArguments, CacheArguments {
  readonly config: string;
  readonly out?: string | undefined;
  readonly check: boolean;
  readonly build: boolean;
  readonly optimize: Optimization;
  readonly force: boolean;
  readonly watch: boolean;
}

/** Compiles a configuration to a folder, or compares it with the folder; returns the exit code. */
export async function compileToFolder(args: CompileArguments, terminal: Terminal): Promise<number> {
  if (args.watch) return watch(args, terminal);
  const project = await compileProject(args.config, args.build, { optimize: args.optimize }, args, terminal);
  if (!project) return exitCodes.diagnostics;
  return place(args, project, terminalFor(args, terminal));
}

/** Compiles after every change, and overwrites the files that it wrote itself. */
async function watch(args: CompileArguments, terminal: Terminal): Promise<number> {
  if (args.check)
    throw new UsageError(
      "--check and --watch cannot be combined. To watch without writing, run graphloom check <config> --watch.",
    );
  const { watchConfig } = await import("./watch-config.js");
  const { config, build: withWasm, optimize } = args;
  let force = args.force;
  return watchConfig(
    { config, withWasm, options: { optimize }, reporting: args, caching: args },
    terminal,
    async (project) => {
      const told = terminalFor(args, terminal);
      const code = await place({ ...args, force }, project, told).catch((error) => told.err(usage(error)));
      force ||= code === exitCodes.clean;
    },
  );
}

/** Returns the message of a usage error, and watching continues: the next change may fix the configuration. */
function usage(error: unknown): string {
  if (error instanceof UsageError) return error.text;
  throw error;
}

/** Writes the compiled project, or compares it with the target. */
async function place(args: CompileArguments, project: CompiledProject, terminal: Terminal): Promise<number> {
  const target = args.out ?? project.model.name;
  if (target === undefined)
    throw new UsageError('Say where to write: --out <folder>, or a "name" in the configuration.');
  if (args.check) return compare(target, project, args, terminal);
  const code = await writeTarget(target, { ...project, force: args.force }, terminal);
  if (code === exitCodes.clean) terminal.out(project.summary);
  return code;
}

async function compare(
  target: string,
  { files, inputs }: CompiledProject,
  args: CompileArguments,
  terminal: Terminal,
): Promise<number> {
  const { compareProject } = await import("../../compiler/write/compare-project.js");
  const { leadingTo } = await import("../../compiler/write/same-file.js");
  const folder = resolve(terminal.cwd, target);
  const comparison = await compareProject(folder, files);
  const difference = differenceOf(comparison, files, args);
  if (difference === "") {
    terminal.out(`${target} is up to date.\n`);
    return exitCodes.clean;
  }
  terminal.err(
    `${target} is ${difference}${remedy(target, leadingTo(inputs, folder, comparison.different), args)}\n`,
  );
  return exitCodes.diagnostics;
}

/**
 * The command line that updates the target.
 * @param inputs files in the target that this run read
 */
function remedy(target: string, inputs: readonly string[], { config, build }: CompileArguments): string {
  const command = `graphloom compile ${config} --out ${target}${build ? " --build" : ""} --force`;
  return inputs.length === 0
    ? `To update it, run: ${command}`
    : `This run has read ${inputs.join(", ")} there, and never overwrites what it has read. Pass a different folder to --out.`;
}

/** Lists how a target differs from the compiled project, in lines; `undefined` when it is up to date. */
function differenceOf(
  { pending, missing, different, extra }: ProjectComparison,
  files: ProjectFiles,
  { build, config }: CompileArguments,
): string {
  if (pending) return "incomplete: a run that replaces its files was interrupted, or is still running.\n";
  // The project's .gitignore excludes generated/, so a missing generated/ is not a difference.
  // A missing part of it is.
  const derived = [...files.keys()].filter((path) => path.startsWith("generated/"));
  const hasDerived = derived.some((path) => !missing.includes(path));
  const lines = [
    ...missing.filter((path) => hasDerived || !derived.includes(path)).map((path) => `missing: ${path}`),
    ...different.filter((path) => files.has(path)).map((path) => `differs: ${path}`),
    ...extra
      .filter((path) => build || !path.startsWith("build/"))
      .map((path) => `no longer generated: ${path}`),
  ];
  return lines.length === 0 ? "" : `not what ${config} generates:\n${listed(lines)}`;
}
