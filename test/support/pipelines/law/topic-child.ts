import { killedWorld } from "./killed-world.js";
import { runTopics } from "./topic-pipeline.js";

/** What a process is to run. */
export interface TopicTask {
  readonly yaml: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly folder: string;
  /** The request at which it kills itself, if it makes so many. */
  readonly death: number;
}

// A process that runs a pipeline with topics, for tests that kill it.
process.on("message", ({ yaml, secrets, folder, death }: TopicTask) => {
  let steps = 0;
  const step = (): void => {
    steps += 1;
    if (steps > death) process.kill(process.pid, "SIGKILL");
  };
  const world = killedWorld(folder, secrets, { step });
  runTopics({ yaml, world }).then(
    (ends) => {
      const halted = [...ends.values()].find((end) => end.kind === "halted");
      process.send?.(halted?.kind === "halted" ? { why: String(halted.error) } : { steps });
    },
    (error: unknown) => process.send?.({ why: String(error instanceof Error ? error.stack : error) }),
  );
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });
