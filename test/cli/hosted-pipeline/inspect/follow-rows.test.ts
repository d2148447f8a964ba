import { expect, it } from "vitest";
import { ApiProblem } from "../../../../src/api/answers/problem.js";
import type { InspectEvent } from "../../../../src/api/pipeline-operations.js";
import { followRows } from "../../../../src/cli/hosted-pipeline/inspect/follow-rows.js";
import { HttpError } from "../../../../src/web/http/http-error.js";

const nodes: InspectEvent = { event: "nodes", nodes: [] };
const row: InspectEvent = { event: "row", node: "n", op: "i", row: {} };
const end = (how: "completed" | "stopped"): InspectEvent => ({ event: "end", how });
const lost = new HttpError("cut", { message: "lost", reason: "lost" }, false);
const refused = (status: number): ApiProblem =>
  new ApiProblem({
    status,
    title: "Refused",
    type: "about:blank",
    errors: [],
    attempts: 1,
    operation: "inspectPipeline",
  });

/** Follows connections, each of which gives some events and may fail; the last one again and again. */
async function follow(connections: readonly (readonly (InspectEvent | Error)[])[]) {
  let [now, opened] = [0, 0];
  const seen: string[] = [];
  const said: string[] = [];
  const done = followRows(
    {
      async *open() {
        const items = connections[Math.min(opened, connections.length - 1)] ?? [];
        opened += 1;
        for (const item of items) {
          if (item instanceof Error) throw item;
          yield item;
        }
      },
      now: () => now,
      random: () => 1,
      pause: async (milliseconds) => {
        now += milliseconds;
      },
      signal: new AbortController().signal,
    },
    { event: ({ event }) => seen.push(event), connection: (text) => said.push(text) },
  );
  const outcome = await done.then(
    () => "done",
    (error: Error) => error.message,
  );
  return { outcome, seen, said, opened, minutes: now / 60_000 };
}

it("pipeline inspect reconnects after a lost connection and after a change, and ends when the pipeline completes", async () => {
  const { outcome, seen, said } = await follow([
    [nodes, row, lost],
    [lost],
    [refused(422)],
    [nodes, end("stopped")],
    [nodes, row, end("completed")],
  ]);
  expect(outcome).toBe("done");
  expect(seen).toEqual(["nodes", "row", "nodes", "end", "nodes", "row"]);
  expect(said[0]).toBe("connected");
  expect(said[1]).toBe("reconnecting: lost");
});

it("pipeline inspect gives up after thirty minutes without a connection", async () => {
  const { outcome, minutes } = await follow([[nodes, lost], [lost]]);
  expect(outcome).toBe("lost");
  expect(Math.floor(minutes)).toBe(30);
});

it.each([
  400, 401, 403, 404, 422,
])("pipeline inspect reports at once why the first connection was refused: %i", async (status) => {
  const { outcome, opened } = await follow([[refused(status)]]);
  expect([outcome, opened]).toEqual([`inspectPipeline: Refused (${status})`, 1]);
});

it("pipeline inspect waits for a pipeline that is about to start", async () => {
  expect((await follow([[refused(503)], [nodes, end("completed")]])).outcome).toBe("done");
});
