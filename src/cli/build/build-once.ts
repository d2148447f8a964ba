import { dirname, resolve } from "node:path";
import type { Asc } from "../../compiler/asc/asc.js";
import type { Host } from "../../compiler/host.js";
import type { ProjectBuild } from "../../compiler/project/build-project.js";
import { type BuildProjectOptions, buildProject } from "../../machine/compiler/build-project.js";
import { noteReads } from "../../machine/files/noted-host.js";
import { reportDiagnostics, terminalFor } from "../compile/report-diagnostics.js";
import { whileCompiling } from "../compile/while-compiling.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { ReportArguments } from "../terminal/usage/options.js";
import { writeBuild } from "./write-build.js";

/** What to build, and where to write it. */
export interface BuildTask {
  /** Path of the manifest. */
  readonly manifest: string;
  readonly options: BuildProjectOptions;
  /** The folder of the build; absent if only types are generated. */
  readonly out?: string;
  readonly reporting: ReportArguments;
}

/**
 * Builds a subgraph, prints its mistakes, and writes it if there are none.
 * @param asc a running compiler, if there is one
 * @param onWritten called with the absolute paths of the folders and files that may have been written
 */
export async function buildOnce(
  { manifest, options, out, reporting }: BuildTask,
  host: Host,
  asc: Asc | undefined,
  terminal: Terminal,
  onWritten?: (paths: readonly string[]) => void,
): Promise<number> {
  const noted = noteReads(host, terminal.cwd);
  const compile = (): Promise<ProjectBuild> =>
    buildProject(manifest, noted, { ...options, ...(asc && { asc }) });
  const build = await whileCompiling(manifest, compile, terminal);
  reportDiagnostics(build.diagnostics, reporting, terminal);
  const code = build.ok
    ? await writeBuild(build, { manifest, out, inputs: noted.inputs }, terminalFor(reporting, terminal))
    : exitCodes.diagnostics;
  const path = resolve(terminal.cwd, manifest);
  onWritten?.([
    ...build.typesFolders.map((folder) => resolve(dirname(path), folder)),
    ...(build.manifest === undefined ? [] : [path]),
  ]);
  return code;
}
