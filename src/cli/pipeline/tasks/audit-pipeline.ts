import type { BlockRange } from "../../../pipelines/sinks/audit.js";
import type { PipelineTask } from "../../../pipelines/tasks/pipeline-task.js";
import { exitCodes } from "../../terminal/exit-codes.js";
import type { Terminal } from "../../terminal/terminal.js";
import { UsageError } from "../../terminal/usage/usage-error.js";
import type { PipelineArguments } from "../pipeline-world.js";
import { atPlace } from "./at-place.js";
import { findingsJson, findingsText } from "./findings-text.js";
import { perform, type TaskArguments } from "./task-place.js";

/** Arguments of `pipeline adopt`. */
interface AuditArguments extends TaskArguments, PipelineArguments {
  readonly format: "text" | "json";
}

/** Arguments of `pipeline verify`. */
interface VerifyArguments extends AuditArguments {
  readonly sink?: string | undefined;
  readonly range?: string | undefined;
}

/** Arguments of `pipeline repair`. */
interface RepairArguments extends VerifyArguments {
  readonly sink: string;
  readonly trustSource: boolean;
}

/** Compares sources, ledgers and sinks; returns the exit code. */
export async function verifyPipeline(args: VerifyArguments, terminal: Terminal): Promise<number> {
  const { sink } = args;
  return audit({ kind: "verify", ...(sink !== undefined && { sink }), ...rangeOf(args) }, args, terminal);
}

/** Mends what a comparison finds in a sink; returns the exit code. */
export async function repairPipeline(args: RepairArguments, terminal: Terminal): Promise<number> {
  const { sink, trustSource: trustsSource } = args;
  return audit({ kind: "repair", sink, trustsSource, ...rangeOf(args) }, args, terminal);
}

/** Makes a sink hold what its sources give, so that it can continue; returns the exit code. */
export function adoptPipeline(
  args: AuditArguments & { readonly sink: string },
  terminal: Terminal,
): Promise<number> {
  return audit({ kind: "repair", sink: args.sink, trustsSource: true, adopts: true }, args, terminal);
}

function audit(
  task: Extract<PipelineTask, { readonly kind: "verify" | "repair" }>,
  args: AuditArguments,
  terminal: Terminal,
): Promise<number> {
  // Standard output has one document: the findings, or why there are none.
  const format = (isValid: boolean) => (isValid ? "text" : args.format);
  return atPlace({ args, reading: args, format }, terminal, async (place) => {
    const mends = task.kind === "repair";
    const isJson = args.format === "json";
    const done = await perform(place, task, {
      onSink: (found) => {
        if (!isJson) terminal.out(findingsText(found, mends));
      },
    });
    if (typeof done === "number") return done;
    const { sinks, agrees } = done;
    if (isJson) terminal.out(findingsJson(sinks, mends));
    const failed = sinks.flatMap((sink) => ("error" in sink ? [sink] : []));
    if (failed.length === 0) return agrees ? exitCodes.clean : exitCodes.differs;
    return failed.some(({ temporary }) => temporary) ? exitCodes.remote : exitCodes.diagnostics;
  });
}

/** The blocks that `--range` gives: `100-200`, or one block. @throws UsageError */
function rangeOf({ range: text }: Pick<VerifyArguments, "range">): { readonly range?: BlockRange } {
  if (text === undefined) return {};
  const [, from = "", to = from] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text) ?? [];
  if (from === "" || Number(to) < Number(from))
    throw new UsageError("--range: write the first and the last block, such as 100-200.");
  return { range: { from: Number(from), to: Number(to) } };
}
