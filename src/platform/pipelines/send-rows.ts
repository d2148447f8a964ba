import type { Inspection } from "./inspect-pipeline.js";

/** Takes events for a client. */
export interface RowEvents {
  /** @returns false if the event is dropped, because the client reads too slowly */
  send(event: string, json: string): boolean;
  end(): void;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** Sends the nodes, then rows until the client goes or the pipeline ends. */
export function sendRows({ nodes, listen }: Inspection, events: RowEvents): void {
  /** Rows by node that were dropped since it was told. */
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
  else events.signal.addEventListener("abort", stop);
}
