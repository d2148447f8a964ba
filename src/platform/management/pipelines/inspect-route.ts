import type { FastifyInstance } from "fastify";
import { pipelineOperations } from "../../../api/pipeline-operations.js";
import { addExtension } from "../../http/add-extension.js";
import { EventStream } from "../../http/event-stream.js";
import { callerOf } from "../../http/roles.js";
import { type Inspection, inspectPipeline } from "../../pipelines/inspect-pipeline.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { Problem } from "../../problem.js";

/** Readers that a project can have at a time. */
const mostReaders = 8;

/** The route that shows rows which pass the nodes of a pipeline, as server-sent events. */
export function inspectRoute(app: FastifyInstance, pipelines: Pipelines): void {
  const streams = new Set<EventStream>();
  const readers = new Map<string, number>();
  const count = (project: string, change: number): void => {
    const now = (readers.get(project) ?? 0) + change;
    if (now > 0) readers.set(project, now);
    else readers.delete(project);
  };
  // The server waits for open answers, and these have no end of their own.
  app.addHook("preClose", async () => {
    for (const stream of streams) stream.end();
  });

  addExtension(app, pipelineOperations.inspectPipeline, { role: "Viewer" }, async (ask) => {
    const { path, query, request, reply } = ask;
    const { project } = callerOf(request);
    if ((readers.get(project) ?? 0) >= mostReaders)
      throw new Problem(
        "unprocessable",
        `A project can have ${mostReaders} readers of rows at a time. Close another one first.`,
      );
    count(project, 1);
    let stream: EventStream | undefined;
    try {
      const inspection = await inspectPipeline(
        pipelines,
        { project, name: path.name ?? "" },
        namesIn(query.nodes),
      );
      stream = new EventStream(pipelines.platform.world);
      showRows(inspection, stream);
    } finally {
      if (!stream) count(project, -1);
    }
    const opened = stream;
    streams.add(opened);
    opened.signal.addEventListener("abort", () => {
      streams.delete(opened);
      count(project, -1);
    });
    // A connection that is kept would make a server that ends wait for it.
    void reply.type("text/event-stream").header("x-accel-buffering", "no").header("connection", "close");
    return opened.body;
  });
}

function namesIn(list: string | undefined): readonly string[] | undefined {
  const names = list?.split(",").filter((name) => name !== "") ?? [];
  return names.length === 0 ? undefined : names;
}

/** Sends the nodes, then rows until the client goes or the pipeline ends. */
function showRows({ nodes, listen }: Inspection, stream: EventStream): void {
  /** Rows by node that were dropped since it was told. */
  const dropped = new Map<string, number>();
  stream.send("nodes", JSON.stringify(nodes));
  const stop = listen({
    rows: ({ node, rows, dropped: before }) => {
      const name = JSON.stringify(node);
      let lost = (dropped.get(node) ?? 0) + before;
      for (const { op, json } of rows)
        if (!stream.send("row", `{"node":${name},"op":"${op}","row":${json}}`)) lost += 1;
      if (lost > 0 && stream.send("dropped", JSON.stringify({ node, rows: lost }))) lost = 0;
      dropped.set(node, lost);
    },
    ended: (how) => {
      stream.send("end", JSON.stringify({ how }));
      stream.end();
    },
  });
  if (!stop) stream.end();
  else stream.signal.addEventListener("abort", stop);
}
