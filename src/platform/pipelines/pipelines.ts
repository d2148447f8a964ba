import type { PipelineEngine } from "../../pipelines/host/pipeline-engine.js";
import type { Platform } from "../platform.js";
import type { PipelineKeeper } from "./pipeline-keeper.js";
import type { PipelinePreviews } from "./pipeline-previews.js";
import type { RowReaders } from "./row-readers.js";
import type { PipelineTasks } from "./tasks/pipeline-tasks.js";

/** The dependencies of the use cases of pipelines. */
export interface Pipelines {
  readonly platform: Platform;
  readonly engine: PipelineEngine;
  readonly keeper: PipelineKeeper;
  readonly previews: PipelinePreviews;
  readonly tasks: PipelineTasks;
  /** The viewers of rows. */
  readonly readers: RowReaders;
}
