import { ApiAnswerError } from "../../../api/answers/answer-error.js";
import type { ReplayCounts } from "../../../pipelines/audit/replay-sink.js";
import type { SinkDocument } from "../../../pipelines/tasks/findings-document.js";
import type { PipelineTask, PipelineTaskResult } from "../../../pipelines/tasks/pipeline-task.js";
import type { RemoteArguments } from "../../remote/session.js";
import type { ReportArguments } from "../../terminal/usage/options.js";
import type { PipelineArguments } from "../pipeline-world.js";
import type { SubgraphArguments } from "../sources/open-subgraphs.js";
import type { DefinitionArguments } from "../with-plan.js";

/** What a command does while a task runs. */
export interface TaskHooks {
  /** Prints the findings about a sink. */
  onSink?(found: SinkDocument): void;
  /** Asks before rows are sent again. Without it, the task decides. */
  confirm?(counts: ReplayCounts): Promise<boolean>;
}

/**
 * Where tasks on the sinks of a pipeline run: in this process, or on a server. Runs one and shows its progress.
 * @returns its result, or the exit code once the reason is printed why there is none
 */
export type TaskPlace = (task: PipelineTask, hooks: TaskHooks) => Promise<PipelineTaskResult | number>;

/** Arguments of a command that works on a pipeline of this machine, or on one of a server. */
export interface TaskArguments
  extends Omit<DefinitionArguments, "configPath">,
    SubgraphArguments,
    RemoteArguments,
    Pick<PipelineArguments, "state"> {
  readonly nameOrConfigPath: string;
  readonly color: boolean;
}

/** A command that runs tasks. */
export interface TaskCommand {
  readonly args: TaskArguments;
  /** How sources are read; absent for a command that reads none. */
  readonly reading?: PipelineArguments;
  /** How the diagnostics of a definition are printed. @param isValid whether the command continues */
  readonly format: (isValid: boolean) => ReportArguments["format"];
}

/** The result of a task. */
type ResultOf<Task extends PipelineTask, Result = PipelineTaskResult> = Result extends { kind: infer Kinds }
  ? Task["kind"] extends Kinds
    ? Result
    : never
  : never;

/**
 * Runs a task.
 * @returns its result, or the exit code once the reason is printed why there is none
 * @throws ApiAnswerError if a server answers with the result of another task
 */
export async function perform<Task extends PipelineTask>(
  place: TaskPlace,
  task: Task,
  hooks: TaskHooks = {},
): Promise<ResultOf<Task> | number> {
  const done = await place(task, hooks);
  if (typeof done === "number" || isOf(done, task)) return done;
  throw new ApiAnswerError("getPipelineTask", "has the result of another task");
}

function isOf<Task extends PipelineTask>(
  result: PipelineTaskResult,
  { kind }: Task,
): result is PipelineTaskResult & ResultOf<Task> {
  return result.kind === kind;
}
