import { visible } from "../../base/visible.js";
import { FlowError } from "../../flows/changes/flow-error.js";
import type { SinkState } from "../../flows/runner/sink-state.js";
import { QueryError } from "../../flows/sql/engine.js";
import { PackageMissingError } from "../../node/optional-package.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";

/** Says how each sink ended; returns the exit code. @throws what is no failure of a node, a transform or a sink */
export function reportEnds(ends: ReadonlyMap<string, SinkState>, terminal: Terminal): number {
  let code: number = terminal.signal.aborted ? exitCodes.interrupted : exitCodes.clean;
  for (const [name, state] of ends) {
    if (state.kind !== "halted" || (terminal.signal.aborted && isOfInterrupt(state.error))) continue;
    const { error } = state;
    const isOfPlace = error instanceof FlowError;
    const isOfUser = error instanceof QueryError || error instanceof PackageMissingError;
    const isKnown = isOfPlace || isOfUser || isOfNode(error);
    if (!isKnown) throw error;
    terminal.err(`Sink ${visible(name)} has stopped: ${visible((error as Error).message)}\n`);
    code = isOfNode(error) || (isOfPlace && error.isTemporary) ? exitCodes.remote : exitCodes.diagnostics;
  }
  return code;
}

/** Whether an interrupt causes such failures: it cuts off requests to nodes, and waits between them. */
function isOfInterrupt(error: unknown): boolean {
  return isOfNode(error) || (error instanceof Error && error.name === "AbortError");
}

function isOfNode(error: unknown): boolean {
  return error instanceof ChainError || error instanceof ReorgError;
}
