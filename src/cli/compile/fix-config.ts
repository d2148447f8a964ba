import { resolve } from "node:path";
import type { Asc } from "../../compiler/asc/asc.js";
import type { Compilation } from "../../compiler/compilation.js";
import type { FixedSource } from "../../compiler/fix/fix-in-rounds.js";
import { startAsc } from "../../node/asc.js";
import { createNodeHost } from "../../node/host.js";
import type { CacheArguments, ReportArguments } from "../terminal/options.js";
import { reportDiagnostics } from "../terminal/report-outcome.js";
import { exitCodes, type World } from "../terminal/world.js";
import { compileConfig } from "./compile-project.js";
import { reportFixes } from "./report-fixes.js";

/** What `check --fix` was given. */
export interface FixArguments extends ReportArguments, CacheArguments {
  readonly config: string;
  readonly dryRun: boolean;
}

/** Fixes a configuration as far as that is certain, shows the change and what is left; the exit code. */
export async function fixConfig(args: FixArguments, world: World): Promise<number> {
  // yargs hands over a positional "-" as an empty text.
  if (args.config === "" || args.config === "-") {
    world.err('--fix changes a file: name one instead of "-".\n');
    return exitCodes.usage;
  }
  const { first, last, change } = await fixInMemory(args, world);
  if (!change) {
    reportDiagnostics(first.diagnostics, args, world);
    return exitCodes.diagnostics;
  }
  if (change.fixed.applied.length > 0 && !args.dryRun) {
    const reason = await save(args.config, change, world);
    if (reason !== undefined) {
      reportDiagnostics(first.diagnostics, args, world);
      world.err(`Nothing was fixed: ${args.config} cannot be replaced: ${reason}.\n`);
      return exitCodes.diagnostics;
    }
  }
  reportFixes({ ...change, path: args.config, model: last.model }, args, world);
  return last.ok ? exitCodes.clean : exitCodes.diagnostics;
}

/** A change that is not written yet. */
interface Change {
  readonly before: { readonly bytes: Uint8Array; readonly text: string };
  readonly fixed: FixedSource;
}

interface FixedInMemory {
  /** What the configuration compiled to as it was, and as it is now. */
  readonly first: Compilation;
  readonly last: Compilation;
  /** Absent when it could not be read as a text. */
  readonly change?: Change;
}

/** Checks, fixes and checks again with one compiler. */
async function fixInMemory(args: FixArguments, world: World): Promise<FixedInMemory> {
  const path = args.config;
  let asc: Asc | undefined;
  const running = (): Asc => {
    asc ??= startAsc();
    return asc;
  };
  try {
    const [{ fixInRounds }, { EditedConfig }] = await Promise.all([
      import("../../compiler/fix/fix-in-rounds.js"),
      import("../../compiler/fix/edited-config.js"),
    ]);
    const config = new EditedConfig(createNodeHost({ cwd: world.cwd }), path);
    const check = (): Promise<Compilation> =>
      compileConfig(path, false, {}, args, world, { host: config, asc: running });
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
    await asc?.close();
  }
}

/** Writes the new text; why it was not possible, if it was not. */
async function save(path: string, { before, fixed }: Change, world: World): Promise<string | undefined> {
  const { encodeLike } = await import("../../compiler/fix/edited-config.js");
  const { replaceFile } = await import("../../node/replace-file.js");
  world.onWriting(true);
  const after = encodeLike(before.bytes, fixed.text);
  const result = await replaceFile(resolve(world.cwd, path), before.bytes, after);
  world.onWriting(false);
  return result.kind === "failed" ? result.reason : undefined;
}
