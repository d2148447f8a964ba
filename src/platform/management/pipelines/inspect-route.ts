import type { FastifyInstance } from "fastify";
import { pipelineOperations } from "../../../api/pipeline-operations.js";
import { addExtension } from "../../http/add-extension.js";
import { OpenStreams } from "../../http/open-streams.js";
import { callerOf } from "../../http/roles.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { streamRows } from "../../pipelines/send-rows.js";

/** The route that shows rows which pass the nodes of a pipeline, as server-sent events. */
export function inspectRoute(app: FastifyInstance, pipelines: Pipelines): void {
  const { platform } = pipelines;
  const streams = new OpenStreams(app);
  addExtension(app, pipelineOperations.inspectPipeline, { role: "Viewer" }, async (ask) => {
    const { path, query, request, reply } = ask;
    const { project } = callerOf(request);
    const named = { project, name: path.name ?? "" };
    const stream = await streamRows(pipelines, named, namesIn(query.nodes), (leave) =>
      streams.open(reply, platform.world, leave),
    );
    return stream.body;
  });
}

function namesIn(list: string | undefined): readonly string[] | undefined {
  const names = list?.split(",").filter((name) => name !== "") ?? [];
  return names.length === 0 ? undefined : names;
}
