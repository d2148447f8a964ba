import type { SentApply, SentComparison } from "../../api/pipeline-operations.js";
import type { PipelinesApi } from "../../api/pipelines-api.js";
import { type SinkChange, sinkChangeText } from "../../base/sink-change.js";
import { visible } from "../../base/text/visible.js";
import { confirm } from "../subgraph/confirm.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** What to do with sinks whose rows are computed differently than before. */
export interface ChangeChoice {
  readonly reset?: boolean | undefined;
  readonly recreate?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly fromSnapshot?: string | undefined;
}

/**
 * Explains what a definition does to the existing sinks of a pipeline, before it is applied. Asks before something is
 * deleted.
 * @returns the choice to send with the definition; `undefined` not to apply it
 * @throws UsageError if there is no one to ask, or sinks cannot start over
 */
export async function settleSinks(
  name: string,
  definition: SentComparison,
  choice: ChangeChoice,
  pipelines: Pick<PipelinesApi, "compare">,
  terminal: Terminal,
): Promise<Pick<SentApply, "on_change"> | undefined> {
  const resetsAll = choice.reset === true || choice.recreate === true;
  // Every sink begins where the user has said.
  if (choice.fromSnapshot !== undefined && !resetsAll) return {};
  const all = (await pipelines.compare(name, definition)).filter(({ change }) => change !== "same");
  const how = choice.recreate ? "recreate" : "reset";
  const isReset = ({ change }: SinkChange): boolean =>
    change === "resets" || (resetsAll && change === "continues");
  for (const sink of all) terminal.out(`${sinkChangeText(sink, isReset(sink) ? how : undefined)}\n`);
  const reset = all.filter(isReset);
  if (reset.length === 0) return {};
  const fixed = reset.filter((sink) => sink[how] === null);
  if (fixed.length > 0)
    throw new UsageError(
      `${fixed.map(({ sink }) => visible(sink)).join(", ")}: cannot start over like this. Nothing was changed.`,
    );
  const names = reset.map(({ sink }) => visible(sink)).join(", ");
  if (!(await confirm(`Start over with ${names}?`, choice.force ?? false, terminal))) return undefined;
  return { on_change: resetsAll ? how : "settle" };
}
