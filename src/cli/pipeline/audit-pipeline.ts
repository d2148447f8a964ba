import { visible } from "../../base/text/visible.js";
import { type AuditRequest, isMended, isSound, type SinkFindings } from "../../pipelines/audit/audit-sink.js";
import type { PipelinePlan, PlannedSink } from "../../pipelines/plan/pipeline-plan.js";
import type { BlockRange } from "../../pipelines/sinks/audit.js";
import { sinkDocument } from "../../pipelines/tasks/findings-document.js";
import { isPassing } from "../../pipelines/tasks/known-error.js";
import { auditSinks } from "../../pipelines/tasks/pipeline-task.js";
import type { Database } from "../../store/database/database.js";
import { reportDiagnostics } from "../compile/report-diagnostics.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { findingsJson, findingsText } from "./findings-text.js";
import { PipelineDisplay } from "./pipeline-display.js";
import { auditWorld, type PipelineArguments } from "./pipeline-world.js";
import type { SubgraphArguments } from "./sources/open-subgraphs.js";
import { chosenSinks, type DefinitionArguments, withPlan } from "./with-plan.js";

/** Arguments of `pipeline verify` and `pipeline repair`. */
export interface AuditArguments extends DefinitionArguments, PipelineArguments, SubgraphArguments {
  readonly sink?: string | undefined;
  readonly range?: string | undefined;
  readonly format: "text" | "json";
  readonly color: boolean;
}

/** Arguments of `pipeline repair`. */
export interface RepairArguments extends AuditArguments {
  readonly trustSource: boolean;
}

/** How the audits of a command work. */
type AuditMode = Pick<AuditRequest, "mends" | "trustsSource" | "adopts">;

/** The outcome of auditing a sink. */
interface SinkAudited {
  readonly planned: PlannedSink;
  /** What was found, or why it could not be audited. */
  readonly outcome: SinkFindings | Error;
}

/** Rows that are shown, and that a document has. */
const most = { text: 20, json: 1_000 };

/** Compares sources, ledgers and sinks; returns the exit code. */
export function verifyPipeline(args: AuditArguments, terminal: Terminal): Promise<number> {
  return auditPipeline(args, { mends: false, trustsSource: false }, terminal);
}

/** Mends what a comparison finds in a sink; returns the exit code. */
export function repairPipeline(args: RepairArguments, terminal: Terminal): Promise<number> {
  return auditPipeline(args, { mends: true, trustsSource: args.trustSource }, terminal);
}

/** Makes a sink hold what its sources give, so that it can continue; returns the exit code. */
export function adoptPipeline(args: AuditArguments, terminal: Terminal): Promise<number> {
  return auditPipeline(args, { mends: true, trustsSource: true, adopts: true }, terminal);
}

async function auditPipeline(args: AuditArguments, mode: AuditMode, terminal: Terminal): Promise<number> {
  const range = auditedRange(args.range);
  return withPlan(args, terminal, async ({ plan, report }, database) => {
    // Standard output has one document: the findings, or why there are none.
    const format = plan ? "text" : args.format;
    reportDiagnostics(report.diagnostics, { format, color: args.color }, terminal);
    return plan ? auditPlan(plan, args, { ...mode, range }, { terminal, database }) : exitCodes.diagnostics;
  });
}

async function auditPlan(
  plan: PipelinePlan,
  args: AuditArguments,
  { range, ...mode }: AuditMode & { readonly range: BlockRange | undefined },
  { terminal, database }: { readonly terminal: Terminal; readonly database: Database | undefined },
): Promise<number> {
  const sinks = chosenSinks(plan, args.sink);
  const display = new PipelineDisplay(terminal, () => performance.now());
  const world = auditWorld(plan, args, { terminal, display, database });
  const audited: SinkAudited[] = [];
  terminal.onWriting(mode.mends);
  try {
    const request = { ...mode, range, most: most[args.format] };
    const tell = (text: string): void => display.wait(visible(text));
    for await (const [planned, outcome] of auditSinks(plan, sinks, request, world, tell)) {
      audited.push({ planned, outcome });
      if (terminal.signal.aborted) return exitCodes.interrupted;
      if (args.format === "text") {
        display.end();
        terminal.out(findingsText(sinkDocument(planned, outcome), mode.mends));
      }
    }
  } finally {
    display.end();
    world.close();
    terminal.onWriting(false);
  }
  const documents = audited.map(({ planned, outcome }) => sinkDocument(planned, outcome));
  if (args.format === "json") terminal.out(findingsJson(documents, mode.mends));
  return codeOf(audited, mode.mends);
}

/** `100-200`, or one block. @throws UsageError */
export function auditedRange(text: string | undefined): BlockRange | undefined {
  if (text === undefined) return undefined;
  const [, from = "", to = from] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text) ?? [];
  if (from === "" || Number(to) < Number(from))
    throw new UsageError("--range: write the first and the last block, such as 100-200.");
  return { from: Number(from), to: Number(to) };
}

function codeOf(audited: readonly SinkAudited[], mends: boolean): number {
  const codes = audited.map(({ outcome }) => {
    if (outcome instanceof Error) return isPassing(outcome) ? exitCodes.remote : exitCodes.diagnostics;
    return (mends ? isMended(outcome) : isSound(outcome)) ? exitCodes.clean : exitCodes.differs;
  });
  return Math.max(exitCodes.clean, ...codes);
}
