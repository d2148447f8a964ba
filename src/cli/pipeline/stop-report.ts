import { visible } from "../../base/text/visible.js";
import { PackageMissingError } from "../../machine/optional-package.js";
import { PipelineError } from "../../pipelines/changes/pipeline-error.js";
import type { SinkState } from "../../pipelines/runner/sink-state.js";
import { QueryError } from "../../pipelines/sql/engine.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { systemTrouble } from "../terminal/system-trouble.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Reports each sink that stops for good when it stops, while the others continue. */
export class StopReport {
  readonly #signal: AbortSignal;
  readonly #print: (line: string) => void;
  readonly #errors = new Map<string, unknown>();

  /** @param signal ends the run; failures of requests to nodes are not reported after that */
  constructor(signal: AbortSignal, print: (line: string) => void) {
    this.#signal = signal;
    this.#print = print;
  }

  /** Takes a sink's new state. */
  note(sink: string, state: SinkState): void {
    if (state.kind !== "halted" || this.#errors.has(sink)) return;
    const { error } = state;
    if (this.#signal.aborted && isOfInterrupt(error)) return;
    this.#errors.set(sink, error);
    this.#print(`Sink ${visible(sink)} has stopped: ${reasonOf(error)}\n`);
  }

  /**
   * The exit code, once all sinks have ended.
   * @param isInterrupted whether the user has ended the run
   * @throws the first failure that is a bug, or that the system causes
   */
  end(isInterrupted: boolean): number {
    let code: number = isInterrupted ? exitCodes.interrupted : exitCodes.clean;
    for (const error of this.#errors.values()) {
      if (!isKnown(error)) throw error;
      if (error instanceof UsageError) {
        code = exitCodes.usage;
        continue;
      }
      const isPassing = isOfNode(error) || (error instanceof PipelineError && error.isTemporary);
      code = isPassing ? exitCodes.remote : exitCodes.diagnostics;
    }
    return code;
  }
}

function reasonOf(error: unknown): string {
  if (isKnown(error)) return visible(error.message);
  return systemTrouble(error)?.trimEnd() ?? "unexpected failure";
}

function isKnown(error: unknown): error is Error {
  return (
    error instanceof PipelineError ||
    error instanceof QueryError ||
    error instanceof PackageMissingError ||
    // Which chain a node serves is known only when it is asked.
    error instanceof UsageError ||
    isOfNode(error)
  );
}

/** Whether an interrupt causes such failures: it cuts off requests to nodes, and waits between them. */
function isOfInterrupt(error: unknown): boolean {
  return isOfNode(error) || (error instanceof Error && error.name === "AbortError");
}

function isOfNode(error: unknown): boolean {
  return error instanceof ChainError || error instanceof ReorgError;
}
