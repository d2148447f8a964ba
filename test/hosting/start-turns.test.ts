import { expect, it } from "vitest";
import { FairTurns } from "../../src/base/fair-turns.js";
import {
  DeploymentThread,
  type ThreadJob,
  type ThreadSurroundings,
} from "../../src/hosting/embedded/deployment-thread.js";
import { HandlerTurns } from "../../src/hosting/embedded/handler-turns.js";
import { world } from "../support/database/databases.js";

it("a thread that waits for its turn to start stops at once", async () => {
  const startTurns = new FairTurns({ atOnce: 1, atOnceOfOne: 1 });
  let leave = (): void => undefined;
  const other = startTurns.run("other", () => new Promise<void>((resolve) => (leave = resolve)));
  const serveNodes: ThreadJob["serveNodes"] = () => {
    throw new Error("It has no turn");
  };
  const thread = new DeploymentThread(
    { deployment: "Qm", project: "project", serveNodes } as Partial<ThreadJob> as ThreadJob,
    {
      startTurns,
      handlerTurns: new HandlerTurns(1, world),
      world,
    } as Partial<ThreadSurroundings> as ThreadSurroundings,
  );
  thread.check();
  await thread.stop();
  expect(await thread.ended).toEqual({ kind: "stopped" });
  leave();
  await other;
  expect(startTurns.waiting).toBe(0);
});
