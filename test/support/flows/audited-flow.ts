import type { AuditRequest, AuditWorld } from "../../../src/flows/audit/audit-sink.js";
import type { PlannedSink } from "../../../src/flows/plan/flow-plan.js";
import { openProgram } from "../../../src/flows/runner/program.js";
import { runSink } from "../../../src/flows/runner/run-sink.js";
import type { Sink } from "../../../src/flows/sinks/sink.js";
import type { Source } from "../../../src/flows/sources/source.js";
import { type LawFlow, onlySql } from "./law-flow.js";
import { feedSource, type PlayedFeed } from "./played-feed.js";
import { type PlayedChain, playedSource } from "./played-source.js";

/** What is played to a sink that is audited. */
export interface Played {
  readonly chain: PlayedChain;
  readonly feed: PlayedFeed;
}

/** Writes all that happened into a sink, and closes it. */
export async function writeAll(
  flow: LawFlow,
  sink: PlannedSink,
  writer: Sink,
  played: Played,
): Promise<void> {
  const program = await openProgram(flow.plan, sink, onlySql);
  try {
    const options = { signal: new AbortController().signal, onProgress: () => undefined };
    await runSink(sink, writer, program, (name) => sourceOf(name, played), options);
  } finally {
    await program.close();
    await writer.close();
  }
}

function sourceOf(name: string, { chain, feed }: Played, last?: number): Source {
  return name === "played" ? playedSource(chain) : feedSource(feed, last);
}

/** What an audit of the flow needs from outside. @param given what it takes to open the sink */
export function auditWorld(played: Played, given: Partial<AuditWorld>): AuditWorld {
  return {
    ...onlySql,
    openSource: ({ name }, last) => sourceOf(name, played, last),
    ...given,
  } as AuditWorld;
}

/** An audit of everything that changes nothing. */
export const verifies: AuditRequest = {
  mends: false,
  trustsSource: false,
  most: 1_000,
  onRange: () => undefined,
};
/** The same, but it mends. */
export const repairs: AuditRequest = { ...verifies, mends: true };
