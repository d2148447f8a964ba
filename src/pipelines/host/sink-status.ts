import { messageOf } from "../../base/text/message-of.js";
import { keptText } from "../../store/database/kept-text.js";
import type { SinkProgress } from "../runner/run-sink.js";
import type { SinkState } from "../runner/sink-state.js";
import type { SinkStatus } from "./pipeline-engine.js";

/** What the thread of a sink reports to the outside. @param before the last report */
export function sinkStatus(state: SinkState, before: SinkStatus | undefined): SinkStatus {
  const known = { rows: before?.rows ?? 0, blocks: before?.blocks ?? {} };
  switch (state.kind) {
    case "progressing":
    case "ended":
      return { state: state.kind, ...placeOf(state.progress) };
    case "idle":
      return { state: "idle", ...placeOf(state.progress), since: state.since };
    case "still": {
      const why = `the head of ${state.source} has not moved from block ${state.head} for a minute`;
      return { state: "idle", ...placeOf(state.progress), since: state.since, why };
    }
    case "stalled":
      return {
        state: "stalled",
        ...known,
        why: keptText(state.why),
        since: state.since,
        retryAt: state.nextAttempt,
      };
    case "halted":
      return { state: "halted", ...known, why: keptText(messageOf(state.error)) };
  }
}

function placeOf({ rows, blocks, parked }: SinkProgress): Pick<SinkStatus, "rows" | "blocks" | "parked"> {
  return { rows, blocks: Object.fromEntries(blocks), parked };
}
