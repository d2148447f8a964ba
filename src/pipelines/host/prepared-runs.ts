import { reportFailure } from "../../base/failures.js";
import { inBackground } from "../../base/turns/guarded.js";
import { wait } from "../../base/turns/wait.js";
import type { World } from "../../base/world.js";
import type { CheckedDefinition, PipelineOrder, RunningPipeline } from "./pipeline-engine.js";
import { endError, type PipelineJob, type PipelineProcess } from "./start-pipeline.js";

/** Milliseconds that a process which has checked a definition waits for the order to run it. */
const longestWait = 5_000;
/** Processes that may wait. */
const mostWaiting = 2;

/** A process that has checked a definition, and waits. */
interface Prepared {
  readonly order: PipelineOrder;
  readonly child: PipelineProcess;
  /** Aborted once it no longer waits. */
  readonly taken: AbortController;
  hear: PipelineJob["hear"] | undefined;
}

/**
 * Processes that have checked a definition and are kept for a moment, since it is usually run at once: a process has to
 * load everything, and to plan the definition, before it can read a row.
 */
export class PreparedRuns {
  readonly #begin: (order: PipelineOrder, hear: PipelineJob["hear"]) => PipelineProcess;
  readonly #world: Pick<World, "timeout">;
  readonly #waiting = new Map<string, Prepared>();

  /** @param begin starts a process that waits once it has checked */
  constructor(
    begin: (order: PipelineOrder, hear: PipelineJob["hear"]) => PipelineProcess,
    world: Pick<World, "timeout">,
  ) {
    this.#begin = begin;
    this.#world = world;
  }

  /** Checks a definition in a process that can then run it. @param signal ends the process @throws Error if it fails; DatabaseError */
  async check(order: PipelineOrder, signal: AbortSignal): Promise<CheckedDefinition> {
    let tell: (checked: CheckedDefinition) => void = () => undefined;
    const told = new Promise<CheckedDefinition>((resolve) => {
      tell = resolve;
    });
    const child = this.#begin(order, (news) => {
      if (news.kind === "checked") tell(news.checked);
      else prepared.hear?.(news);
    });
    const prepared: Prepared = { order, child, taken: new AbortController(), hear: undefined };
    const kill = (): void => child.kill();
    signal.addEventListener("abort", kill, { once: true });
    const checked = await Promise.race([told, child.ended]);
    signal.removeEventListener("abort", kill);
    signal.throwIfAborted();
    if ("kind" in checked) throw endError(checked, "the check was stopped");
    if (checked.meaning) this.#keep(prepared);
    return checked;
  }

  /** The process that has checked a definition as a pipeline with the same limits; it continues by running it. */
  take(order: PipelineOrder, hear: PipelineJob["hear"]): RunningPipeline | undefined {
    const found = this.#waiting.get(order.flow);
    if (!found) return undefined;
    if (textOf(found.order) !== textOf(order)) return void this.#end(found);
    this.#forget(found);
    found.hear = hear;
    found.child.go(order);
    return found.child;
  }

  #keep(prepared: Prepared): void {
    const { order, child, taken } = prepared;
    const [oldest] = this.#waiting.values();
    for (const other of [
      this.#waiting.get(order.flow),
      this.#waiting.size < mostWaiting ? undefined : oldest,
    ])
      if (other) this.#end(other);
    this.#waiting.set(order.flow, prepared);
    inBackground(
      child.ended.then(() => this.#forget(prepared)),
      reportFailure,
    );
    const end = wait(longestWait, this.#world, taken.signal).then(() => {
      if (!taken.signal.aborted) this.#end(prepared);
    });
    inBackground(end, reportFailure);
  }

  #end(prepared: Prepared): void {
    this.#forget(prepared);
    inBackground(prepared.child.stop(), reportFailure);
  }

  #forget(prepared: Prepared): void {
    prepared.taken.abort();
    if (this.#waiting.get(prepared.order.flow) === prepared) this.#waiting.delete(prepared.order.flow);
  }
}

/** What has to be the same for one process to check and to run. */
function textOf({ definition: { text, variables, engine }, size }: PipelineOrder): string {
  return JSON.stringify([text, Object.entries(variables).toSorted(), engine, size]);
}
