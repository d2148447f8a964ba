import { visible } from "../../../base/text/visible.js";
import type { ReplayCounts } from "../../../pipelines/audit/replay-sink.js";
import type { BlockRange } from "../../../pipelines/sinks/audit.js";
import { count } from "../../terminal/count.js";
import { exitCodes } from "../../terminal/exit-codes.js";
import type { Terminal } from "../../terminal/terminal.js";
import type { ReportArguments } from "../../terminal/usage/options.js";
import { UsageError } from "../../terminal/usage/usage-error.js";
import type { PipelineArguments } from "../pipeline-world.js";
import { atPlace } from "./at-place.js";
import { perform, type TaskArguments } from "./task-place.js";

/** Arguments of `pipeline replay`. */
interface ReplayArguments extends TaskArguments, PipelineArguments, Pick<ReportArguments, "format"> {
  readonly sink: string;
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly yes: boolean;
}

/** Sends the rows of some blocks to a sink again; returns the exit code. */
export async function replayPipeline(args: ReplayArguments, terminal: Terminal): Promise<number> {
  const { sink, yes, format } = args;
  const range = replayedRange(args);
  if (!yes && !terminal.ask)
    throw new UsageError("Not running in a terminal, so I cannot ask. To send the rows, add --yes.");
  const name = visible(sink);
  const confirm = async (counts: ReplayCounts): Promise<boolean> => {
    const what = `Send ${count(counts.rows, "row")} of blocks ${range.from}-${range.to} to ${name} again${overtakenText(counts)}?`;
    const answer = await terminal.ask?.(`${what} [y/N] `);
    return /^y(es)?$/i.test(answer?.trim() ?? "");
  };
  return atPlace({ args, reading: args, format: () => format }, terminal, async (place) => {
    const task = { kind: "replay", sink, range, sends: true } as const;
    const done = await perform(place, task, yes ? {} : { confirm });
    if (typeof done === "number") return done;
    terminal.out(`${name}: ${outcomeText(done)}\n`);
    return exitCodes.clean;
  });
}

function outcomeText(outcome: ReplayCounts & { readonly sent: boolean }): string {
  if (outcome.rows === 0) return `there is nothing to send${overtakenText(outcome)}`;
  return outcome.sent
    ? `sent ${count(outcome.rows, "row")} again${overtakenText(outcome)}`
    : "nothing was sent";
}

function overtakenText({ overtaken }: ReplayCounts): string {
  return overtaken === 0 ? "" : `, without ${count(overtaken, "row")} that later ones have overtaken`;
}

/** @throws UsageError */
function replayedRange({ fromBlock, toBlock }: ReplayArguments): BlockRange {
  const isBlock = /^\d{1,15}$/;
  if (!isBlock.test(fromBlock) || !isBlock.test(toBlock) || Number(toBlock) < Number(fromBlock))
    throw new UsageError("--from-block, --to-block: write the numbers of the first and the last block.");
  return { from: Number(fromBlock), to: Number(toBlock) };
}
