import { resolve } from "node:path";
import type { Asc } from "../../compiler/asc/asc.js";
import type { Compilation } from "../../compiler/compilation.js";
import type { FixedSource } from "../../compiler/fix/fix-in-rounds.js";
import { startAsc } from "../../machine/compiler/asc.js";
import { createNodeHost } from "../../machine/files/host.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { CacheArguments, ReportArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { compileConfig } from "./compile-project.js";
import { reportDiagnostics } from "./report-diagnostics.js";
import { reportFixes } from "./report-fixes.js";

/** Arguments of `check --fix`. */
export interface FixArguments extends ReportArguments, CacheArguments {
  readonly config: string;
  readonly dryRun: boolean;
}

/**
 * Applies the certain fixes to a configuration, shows the diff and the remaining diagnostics; returns the
 * exit code.
 */
export async function fixConfig(args: FixArguments, terminal: Terminal): Promise<number> {
  if (args.config === "-") throw new UsageError('--fix changes a file. Name one instead of "-".');
  const { first, last, change } = await fixInMemory(args, terminal);
  if (!change) {
    reportDiagnostics(first.diagnostics, args, terminal);
    return exitCodes.diagnostics;
  }
  if (change.fixed.applied.length > 0 && !args.dryRun) {
    const reason = await save(args.config, change, terminal);
    if (reason !== undefined) {
      reportDiagnostics(first.diagnostics, args, terminal);
      terminal.err(`Nothing was fixed. Cannot replace ${args.config}: ${reason}.\n`);
      return exitCodes.diagnostics;
    }
  }
  reportFixes({ ...change, path: args.config, model: last.model }, args, terminal);
  return last.ok ? exitCodes.clean : exitCodes.diagnostics;
}

/** A change that has not been written yet. */
interface Change {
  readonly before: { readonly bytes: Uint8Array; readonly text: string };
  readonly fixed: FixedSource;
}

interface FixedInMemory {
  /** The compilations before and after the fixes. */
  readonly first: Compilation;
  readonly last: Compilation;
  /** Absent when the configuration could not be decoded as text. */
  readonly change?: Change;
}

/** Checks, fixes and checks again with one compiler. */
async function fixInMemory(args: FixArguments, terminal: Terminal): Promise<FixedInMemory> {
  const path = args.config;
  let own: Asc | undefined;
  const running = (): Asc => {
    if (terminal.asc) return terminal.asc;
    own ??= startAsc();
    return own;
  };
  try {
    const [{ fixInRounds }, { EditedConfig }] = await Promise.all([
      import("../../compiler/fix/fix-in-rounds.js"),
      import("../../compiler/fix/edited-config.js"),
    ]);
    const config = new EditedConfig(createNodeHost({ cwd: terminal.cwd, within: terminal.within }), path);
    const check = (): Promise<Compilation> =>
      compileConfig(path, false, {}, args, terminal, { host: config, asc: running });
    const first = await check();
    const before = config.original;
    if (!before) return { first, last: first };
    let last = first;
    const fixed = await fixInRounds({ path, text: before.text }, first.diagnostics, async (text) => {
      config.edit(text);
      last = await check();
      return last.diagnostics;
    });
    return { first, last, change: { before, fixed } };
  } finally {
    await own?.close();
  }
}

/** Writes the new text; returns the reason if that fails. */
async function save(
  path: string,
  { before, fixed }: Change,
  terminal: Terminal,
): Promise<string | undefined> {
  const { encodeLike } = await import("../../compiler/fix/edited-config.js");
  const { replaceFile } = await import("../../machine/files/replace-file.js");
  terminal.onWriting(true);
  const after = encodeLike(before.bytes, fixed.text);
  const result = await replaceFile(resolve(terminal.cwd, path), before.bytes, after);
  terminal.onWriting(false);
  return result.kind === "failed" ? result.reason : undefined;
}
