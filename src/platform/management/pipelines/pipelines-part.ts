import type { ServedBy } from "../../../pipelines/host/create-pipeline-engine.js";
import type { PipelineEngine } from "../../../pipelines/host/pipeline-engine.js";
import type { Routes } from "../../http/app.js";
import { type KeeperTimes, PipelineKeeper } from "../../pipelines/pipeline-keeper.js";
import { PipelinePreviews } from "../../pipelines/pipeline-previews.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { RowReaders } from "../../pipelines/row-readers.js";
import { PipelineTasks } from "../../pipelines/tasks/pipeline-tasks.js";
import type { ServerPart } from "../../server-part.js";
import { addressPolicyOf } from "../../webhooks/address-policy.js";
import { pipelineRoutes } from "./pipeline-routes.js";

/** Creates the engine of a server's pipelines. @param reach which private addresses they may reach */
export type CreatePipelineEngine = (
  server: ServedBy,
  reach: { readonly allowsPrivate: boolean; readonly listed: readonly string[] },
) => PipelineEngine;

/** Times of a server's pipelines, in milliseconds. */
export interface PipelineTimes extends KeeperTimes {
  /** The time after which others may write the sinks of a task whose server is gone. */
  readonly taskLease: number;
}

/**
 * The server part for pipelines: their routes, and the keeper that runs them.
 * @param more further routes that need the pipelines, such as their pages
 * @param times deviations from the usual times
 */
export function pipelinesPart(
  create: CreatePipelineEngine,
  more?: (pipelines: Pipelines) => Routes,
  times?: Partial<PipelineTimes>,
): ServerPart {
  return async (platform) => {
    const { allowsPrivate, listed = [] } = addressPolicyOf(platform.settings);
    const engine = create(platform, { allowsPrivate, listed });
    const keeper = new PipelineKeeper(platform, engine, times);
    const previews = new PipelinePreviews(platform, engine);
    await keeper.start();
    const tasks = new PipelineTasks(platform, engine, times?.taskLease);
    const pipelines: Pipelines = { platform, engine, keeper, previews, tasks, readers: new RowReaders() };
    const own: Routes = (app) => pipelineRoutes(app, pipelines);
    return {
      routes: more ? [own, more(pipelines)] : own,
      async close() {
        await previews.close();
        await tasks.close();
        await keeper.close();
        await engine.close();
      },
    };
  };
}
