import { retryParked } from "../../../../src/pipelines/runner/parked-changes.js";
import { openProgram } from "../../../../src/pipelines/runner/program.js";
import { runSink } from "../../../../src/pipelines/runner/run-sink.js";
import { sinkTypeOf } from "../../../../src/pipelines/sinks/all-sinks.js";
import { openSink } from "../../../../src/pipelines/sinks/open-sink.js";
import type { Sink } from "../../../../src/pipelines/sinks/sink.js";
import { SinkError } from "../../../../src/pipelines/state/sink-error.js";
import {
  changingWorld,
  type LawDefinition,
  type LawPipeline,
  lawPipeline,
  lawSources,
  onlySql,
} from "../law-pipeline.js";
import { killedWorld } from "./killed-world.js";
import { Schedule } from "./schedule.js";

/** What a process is to write. */
export interface KilledTask {
  readonly definition: LawDefinition;
  readonly secrets: Readonly<Record<string, string>>;
  /** Absolute; for states and files. */
  readonly folder: string;
  readonly seed: number;
  /** Rounds of the schedule that have been played. */
  readonly rounds: number;
  /** Whether the parked rows are tried again, which the sink now accepts. */
  readonly retries?: boolean;
}

/** What a process is to write at once. */
export interface KilledOrder {
  readonly tasks: readonly KilledTask[];
  /** The task that decides when the process is killed, and that it tells of. */
  readonly leader: number;
  /** The step of that task at which it kills itself, counted from the first batch that it writes or from the beginning. */
  readonly death?: { readonly from: "writing" | "opening"; readonly steps: number };
}

/** What a process says of its work: of the task that leads, and `ended` when all have. */
export type KilledWord =
  | { readonly kind: "ready" | "opening" | "writing" | "ended" }
  /** With the steps that it took. */
  | { readonly kind: "opened"; readonly steps: number }
  | { readonly kind: "failed"; readonly why: string };

// A process that writes what a schedule has played into a sink, for tests that kill it.
const say = (word: KilledWord): void => void process.send?.(word);
process.on("message", ({ tasks, leader, death }: KilledOrder) => {
  const works = tasks.map((task, index) => (index === leader ? run(task, say, death) : run(task)));
  Promise.all(works).then(
    () => say({ kind: "ended" }),
    (error: unknown) => say({ kind: "failed", why: String(error instanceof Error ? error.stack : error) }),
  );
});
process.on("disconnect", () => process.exit());
// What all flows need is loaded before there is something to do.
const { plan, sink } = await lawPipeline();
await (await openProgram(plan, sink, onlySql)).close();
say({ kind: "ready" });

async function run(
  { definition, secrets, folder, seed, rounds, retries = false }: KilledTask,
  tell: (word: KilledWord) => void = () => undefined,
  death?: KilledOrder["death"],
): Promise<void> {
  const flow = await lawPipeline(definition);
  const schedule = new Schedule(seed, sinkTypeOf(definition.type).place === "files");
  for (let round = 0; round < rounds; round += 1) schedule.play();
  // Another process finds other names.
  const programWorld = definition.isChanging ? changingWorld(process.pid * 1_000_000) : onlySql;
  const program = await openProgram(flow.plan, flow.sink, programWorld);
  let steps = 0;
  let left = death?.from === "opening" ? death.steps : Number.POSITIVE_INFINITY;
  const parks = definition.settings.on_error === "park";
  const step = (): void => {
    left -= 1;
    steps += 1;
    if (left < 0) process.kill(process.pid, "SIGKILL");
  };
  // Tables have constraints that refuse rows, and topics have none.
  const world = killedWorld(folder, secrets, { step, isRefusing: parks && !retries });
  const onWrite = (): void => {
    if (death?.from === "writing" && left === Number.POSITIVE_INFINITY) left = death.steps;
    tell({ kind: "writing" });
  };
  const parking = { parks, now: () => 1 };
  const options = { signal: new AbortController().signal, onProgress: () => undefined, parking };
  for (;;) {
    try {
      steps = 0;
      tell({ kind: "opening" });
      const writer = await openSink(flow.sink, flow.owner, world);
      tell({ kind: "opened", steps });
      try {
        const sink = telling(writer, onWrite);
        if (retries) await retryAll(sink, flow);
        else await runSink(flow.sink, sink, program, lawSources(flow, schedule), options);
        break;
      } finally {
        await writer.close();
      }
    } catch (error) {
      // The server may still be busy with what the killed process has begun.
      if (!(error instanceof SinkError && error.isTemporary)) throw error;
    }
  }
  await program.close();
  world.close();
}

async function retryAll(sink: Sink, { sink: { schema } }: LawPipeline): Promise<void> {
  const { left } = await retryParked(sink, schema, { isChosen: () => true, now: () => 2 });
  if (left.length > 0) throw new Error(`${left.length} rows are still refused`);
}

/** A sink that says when it writes. */
function telling(sink: Sink, onWrite: () => void): Sink {
  return new Proxy(sink, {
    get: (target, name) => {
      if (name === "write")
        return (batch: Parameters<Sink["write"]>[0]) => {
          onWrite();
          return target.write(batch);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
