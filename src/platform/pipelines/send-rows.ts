import { reportFailure } from "../../base/failures.js";
import { guarded } from "../../base/turns/guarded.js";
import { type Inspection, inspectPipeline } from "./inspect-pipeline.js";
import type { PipelineName } from "./pipeline-rows.js";
import type { Pipelines } from "./pipelines.js";

/** Accepts events for a client. */
export interface RowEvents {
  /** @returns false if the event is dropped, because the client reads too slowly */
  send(event: string, json: string): boolean;
  end(): void;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
}

/**
 * Watches nodes of a pipeline for a client, which counts as a reader of the project until it leaves.
 * @param wanted names of nodes; all by default
 * @param open opens the client's stream, and calls `leave` when the client has gone
 * @throws Problem as `inspectPipeline`
 */
export async function streamRows<Stream extends RowEvents>(
  pipelines: Pipelines,
  named: PipelineName,
  wanted: readonly string[] | undefined,
  open: (leave: () => void) => Stream,
): Promise<Stream> {
  const leave = pipelines.readers.enter(named.project);
  let inspection: Inspection;
  try {
    inspection = await inspectPipeline(pipelines, named, wanted);
  } catch (error) {
    leave();
    throw error;
  }
  const stream = open(leave);
  sendRows(inspection, stream);
  return stream;
}

/** Sends the nodes, then rows until the client leaves or the pipeline ends. */
function sendRows({ nodes, listen }: Inspection, events: RowEvents): void {
  /** Rows by node that were dropped since the last report. */
  const dropped = new Map<string, number>();
  events.send("nodes", JSON.stringify(nodes));
  const stop = listen({
    rows: ({ node, rows, dropped: before }) => {
      const name = JSON.stringify(node);
      let lost = (dropped.get(node) ?? 0) + before;
      for (const { op, json } of rows)
        if (!events.send("row", `{"node":${name},"op":"${op}","row":${json}}`)) lost += 1;
      if (lost > 0 && events.send("dropped", JSON.stringify({ node, rows: lost }))) lost = 0;
      dropped.set(node, lost);
    },
    ended: (how) => {
      events.send("end", JSON.stringify({ how }));
      events.end();
    },
  });
  if (!stop) events.end();
  else events.signal.addEventListener("abort", guarded(stop, reportFailure));
}
