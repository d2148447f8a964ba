import { resolve } from "node:path";
import type { ProjectFiles } from "../../compiler/write/plan.js";
import { writeProject } from "../../compiler/write/write-project.js";
import { count } from "../terminal/count.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";

/**
 * Writes a project and says what became of it; the exit code.
 * @param seeds files that are the user's own from then on
 */
export async function writeTarget(
  target: string,
  files: ProjectFiles,
  force: boolean,
  terminal: Terminal,
  seeds?: ProjectFiles,
): Promise<number> {
  terminal.onWriting(true);
  const path = resolve(terminal.cwd, target);
  const result = await writeProject(path, files, { force, seeds, signal: terminal.signal });
  terminal.onWriting(false);
  switch (result.kind) {
    case "written":
      for (const path of result.kept)
        terminal.err(`kept ${path}: it is no longer generated, but was changed by hand\n`);
      terminal.out(`Wrote ${target}: ${writtenCounts(result)}.\n`);
      return exitCodes.clean;
    case "refused":
      terminal.err(
        `${target} holds ${count(result.conflicts.length, "file")} that would be overwritten:\n${listed(result.conflicts)}` +
          "Nothing was written. Run again with --force to overwrite them, or choose another folder.\n",
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

/** The first paths of a list, a line each. */
export function listed(paths: readonly string[], most = 20): string {
  const shown = paths.slice(0, most).map((path) => `  ${path}\n`);
  return shown.join("") + (paths.length > most ? `  … and ${paths.length - most} more\n` : "");
}
