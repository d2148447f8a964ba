import { resolve } from "node:path";
import type { ProjectFiles } from "../../compiler/write/plan.js";
import { type WriteOptions, writeProject } from "../../compiler/write/write-project.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";

export interface WrittenProject extends Pick<WriteOptions, "force" | "seeds" | "inputs" | "record"> {
  readonly files: ProjectFiles;
}

/** Writes a project and reports the result; returns the exit code. */
export async function writeTarget(
  target: string,
  { files, force, seeds, inputs, record }: WrittenProject,
  terminal: Terminal,
): Promise<number> {
  terminal.onWriting(true);
  const path = resolve(terminal.cwd, target);
  const options = { force, seeds, inputs, record, signal: terminal.signal };
  const result = await writeProject(path, files, options);
  terminal.onWriting(false);
  switch (result.kind) {
    case "written":
      for (const path of result.kept)
        terminal.err(`kept ${path}: it is no longer generated, but was changed by hand\n`);
      terminal.out(`Wrote ${target}: ${writtenCounts(result)}.\n`);
      return exitCodes.clean;
    case "refused":
      terminal.err(
        `${target} contains ${count(result.conflicts.length, "file")} that would be overwritten:\n${listed(result.conflicts)}` +
          "Nothing was written. Run again with --force to overwrite them, or choose another folder.\n",
      );
      return exitCodes.diagnostics;
    case "inputs":
      terminal.err(
        `${target} contains ${count(result.inputs.length, "file")} that this run has read and would overwrite:\n${listed(result.inputs)}` +
          "Nothing was written, and --force does not change that. Write to a different folder.\n",
      );
      return exitCodes.diagnostics;
    case "unsafe":
    case "failed":
      terminal.err(`Nothing was written: ${result.path}: ${result.reason}.\n`);
      return exitCodes.diagnostics;
  }
}

function writtenCounts({
  written,
  unchanged,
  removed,
}: {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  readonly removed: readonly string[];
}): string {
  return [
    `${count(written.length, "file")} written`,
    ...(unchanged.length > 0 ? [`${unchanged.length} unchanged`] : []),
    ...(removed.length > 0 ? [`${removed.length} removed`] : []),
  ].join(", ");
}

/** The first paths of a list, one per line. */
export function listed(paths: readonly string[], most = 20): string {
  const shown = paths.slice(0, most).map((path) => `  ${path}\n`);
  return shown.join("") + (paths.length > most ? `  … and ${paths.length - most} more\n` : "");
}
