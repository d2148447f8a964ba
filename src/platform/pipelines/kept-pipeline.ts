import { backoff } from "../../base/turns/backoff.js";
import type {
  NodeStatus,
  PipelineLine,
  RunningPipeline,
  SinkStatus,
} from "../../pipelines/host/pipeline-engine.js";
import type { PipelineName, RuntimeStatus } from "./pipeline-rows.js";
import type { RowHearers } from "./row-hearers.js";

/** A pipeline that this server runs. */
export interface KeptPipeline {
  readonly name: PipelineName;
  readonly generation: number;
  readonly version: number;
  readonly running: RunningPipeline;
  readonly sinks: Map<string, SinkStatus>;
  nodes: Readonly<Record<string, NodeStatus>>;
  readonly lines: PipelineLine[];
  readonly hearers: RowHearers;
  /** When it was started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** How often in a row its process had died before. */
  readonly deaths: number;
  /** Until when its lease is this server's for certain, in milliseconds since 1970. */
  heldUntil: number;
  /** Whether it was stopped, since its lease is lost or nearly over. */
  isLost: boolean;
  runtime: RuntimeStatus;
  error: string | null;
  isChanged: boolean;
  /** Megabytes of memory that were recorded last. */
  memory: number | undefined;
  dropped: number;
}

/** Whole megabytes of memory of a pipeline's process. */
export function memoryOf({ running }: KeptPipeline): number | undefined {
  const megabytes = running.memory();
  return megabytes === undefined ? undefined : Math.round(megabytes);
}

/** The pauses before restarting a pipeline whose process has died, in milliseconds. */
const restarts = { first: 2_000, longest: 600_000 };
/** After so many deaths in a row, it stays down: about four hours, with these pauses. */
const mostDeaths = 30;
/** Milliseconds after which the death of a process no longer counts as a repetition. */
const steady = 600_000;

/** When and how to restart a pipeline whose process has died. */
interface Restart {
  /** How often it has died in a row. */
  readonly deaths: number;
  /** Milliseconds until it is started. */
  readonly pause: number;
}

/** The pauses before restarting a pipeline that could not begin because of the server's database. */
const databaseRestarts = { first: 1_000, longest: 60_000 };

/**
 * When to restart a pipeline whose process has ended; `undefined` if it has died too often.
 * @param before how often in a row it had died before this start
 * @param ran milliseconds that it has run since
 * @param chance at least 0 and less than 1
 * @param ofDatabase whether the server's database was in trouble, which never counts as too often
 */
export function restartAfter(
  before: number,
  ran: number,
  chance: number,
  ofDatabase = false,
): Restart | undefined {
  const deaths = (ran < steady ? before : 0) + 1;
  if (ofDatabase)
    return { deaths: Math.min(deaths, mostDeaths - 1), pause: backoff(deaths, databaseRestarts, chance) };
  return deaths >= mostDeaths ? undefined : { deaths, pause: backoff(deaths, restarts, chance) };
}
