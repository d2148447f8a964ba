import { visible } from "../../base/text/visible.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { SkipReason } from "../../compiler/fix/candidates.js";
import type { FixedSource } from "../../compiler/fix/fix-in-rounds.js";
import { type DiffRole, unifiedDiff } from "../../compiler/fix/unified-diff.js";
import type { ModelOutline } from "../../compiler/model/model-outline.js";
import { positionAt } from "../../compiler/source/source.js";
import type { Terminal } from "../terminal/terminal.js";
import type { ReportArguments } from "../terminal/usage/options.js";
import { counted, printDiagnostics } from "./report-diagnostics.js";
import { summarize } from "./summary.js";

/** A fixed configuration. */
export interface FixReport {
  readonly path: string;
  readonly before: { readonly text: string };
  readonly fixed: FixedSource;
  /** Outline of the fixed configuration's model; absent while it has errors. */
  readonly model?: ModelOutline | undefined;
}

/** Reports the fixes that were or would be applied, as a diff, and the remaining diagnostics. */
export function reportFixes(
  { path, before, fixed, model }: FixReport,
  reporting: ReportArguments & { readonly dryRun: boolean },
  terminal: Terminal,
): void {
  // In formats for programs, standard output holds the diagnostics, so everything else goes to standard error.
  const told =
    reporting.format === "text" ? terminal : { ...terminal, out: terminal.err, outColor: terminal.color };
  const isColored = reporting.color && told.color && told.outColor === true;
  const verb = reporting.dryRun ? "would fix" : "fixed";
  for (const diagnostic of fixed.applied) {
    told.out(`${verb} ${placed(diagnostic)}: ${visible(diagnostic.hint ?? diagnostic.message)}\n`);
  }
  told.out(unifiedDiff(path, before.text, fixed.text, fixed.lines, isColored ? paintDiff : undefined));
  printDiagnostics(fixed.diagnostics, reporting, terminal);
  for (const line of shortcomings(fixed)) terminal.err(`${line}\n`);
  terminal.err(`${balance(fixed, reporting.dryRun)}\n`);
  const isChanged = reporting.dryRun && fixed.applied.length > 0;
  if (model)
    told.out(`${visible(path)} ${isChanged ? "would be" : "is"} fine:\n${summarize(model, undefined)}`);
}

function placed({ code, at }: Diagnostic): string {
  if (!at) return code;
  const { line, column } = positionAt(at.source, at.start);
  return `${code} at ${visible(at.source.path)}:${line}:${column}`;
}

const reasons: Readonly<Record<SkipReason, string>> = {
  "other-file": "the change belongs in a different file",
  collision: "it conflicts with a different change",
  impossible: "the change would affect something else",
};

function shortcomings({ skipped, end }: FixedSource): string[] {
  const lines = skipped.map(
    ({ diagnostic, reason }) => `not fixed: ${placed(diagnostic)}: ${reasons[reason]}`,
  );
  if (end === "circle") lines.push("stopped: the next change would undo an earlier one");
  if (end === "too-many-rounds") lines.push("stopped: there is more to fix; run the command again");
  return lines;
}

function balance({ applied, diagnostics }: FixedSource, isDryRun: boolean): string {
  const done = `${applied.length} ${isDryRun ? "would be fixed" : "fixed"}`;
  const left = diagnostics.length > 0 ? [`${counted(diagnostics)} left`] : [];
  return [applied.length > 0 ? done : "nothing to fix", ...left].join(", ");
}

const styles: Readonly<Record<DiffRole, string>> = {
  file: "1",
  hunk: "36",
  removed: "31",
  added: "32",
  same: "",
};

function paintDiff(role: DiffRole, line: string): string {
  return styles[role] === "" ? line : `\u001b[${styles[role]}m${line}\u001b[0m`;
}
