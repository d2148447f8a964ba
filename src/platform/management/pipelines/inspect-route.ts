import type { FastifyInstance } from "fastify";
import { pipelineOperations } from "../../../api/pipeline-operations.js";
import { addExtension } from "../../http/add-extension.js";
import { OpenStreams } from "../../http/open-streams.js";
import { callerOf } from "../../http/roles.js";
import { type Inspection, inspectPipeline } from "../../pipelines/inspect-pipeline.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { sendRows } from "../../pipelines/send-rows.js";

/** The route that shows rows which pass the nodes of a pipeline, as server-sent events. */
export function inspectRoute(app: FastifyInstance, pipelines: Pipelines): void {
  const { platform, readers } = pipelines;
  const streams = new OpenStreams(app);
  addExtension(app, pipelineOperations.inspectPipeline, { role: "Viewer" }, async (ask) => {
    const { path, query, request, reply } = ask;
    const { project } = callerOf(request);
    const leave = readers.enter(project);
    let inspection: Inspection;
    try {
      const named = { project, name: path.name ?? "" };
      inspection = await inspectPipeline(pipelines, named, namesIn(query.nodes));
    } catch (error) {
      leave();
      throw error;
    }
    const stream = streams.open(reply, platform.world, leave);
    sendRows(inspection, stream);
    return stream.body;
  });
}

function namesIn(list: string | undefined): readonly string[] | undefined {
  const names = list?.split(",").filter((name) => name !== "") ?? [];
  return names.length === 0 ? undefined : names;
}
