import type { SinkState } from "../flows/runner/run-flow.js";
import type { SinkProgress } from "../flows/runner/run-sink.js";
import { keptText } from "../store/database/kept-text.js";
import type { SinkStatus } from "./pipeline-engine.js";

/** What is told of a sink outside of its thread. @param before what was told last @param now milliseconds since 1970 */
export function sinkStatus(state: SinkState, before: SinkStatus | undefined, now: number): SinkStatus {
  const known = { rows: before?.rows ?? 0, blocks: before?.blocks ?? {} };
  switch (state.kind) {
    case "progressing":
    case "ended":
      return { state: state.kind, ...placeOf(state.progress) };
    case "idle":
    case "still":
      return { state: "progressing", ...placeOf(state.progress) };
    case "stalled":
      return { state: "stalled", ...known, why: keptText(state.why), retryAt: now + state.wait };
    case "halted":
      return { state: "halted", ...known, why: keptText(messageOf(state.error)) };
  }
}

function placeOf({ rows, blocks }: SinkProgress): Pick<SinkStatus, "rows" | "blocks"> {
  return { rows, blocks: Object.fromEntries(blocks) };
}

/** The message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
