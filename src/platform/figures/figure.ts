import type { HostedStatus } from "../../hosting/engine.js";
import { restsNow } from "../subgraphs/rests-now.js";
import type { ChainNode } from "./chain-nodes.js";

/** The states of a deployment, from the most to the least serious. */
export const figureStates = ["failed", "waiting", "errors", "indexing", "paused", "synced"] as const;

/**
 * The state of a deployment: it has failed, it waits for a node, an engine or a database, it continues although
 * handlers fail, it catches up, it is paused, or it follows the chain.
 */
export type FigureState = (typeof figureStates)[number];

/** The measurements of a deployment. Absent ones are unknown. */
export interface Measured {
  readonly state?: FigureState | undefined;
  /** The last indexed block. */
  readonly block?: number | undefined;
  readonly chainBlock?: number | undefined;
  readonly lagBlocks?: number | undefined;
  /** Seconds between the last indexed block and the head of the chain. */
  readonly lagSeconds?: number | undefined;
  /** Handlers run per second. */
  readonly eventsPerSecond?: number | undefined;
}

/** Queries, by source of the answer. */
export interface QueryNumbers {
  /** From memory, or together with the same query of another client. */
  readonly fromMemory: number;
  readonly fromEngine: number;
  readonly refused: number;
  /** The engine failed to answer them. */
  readonly failed: number;
}

/**
 * The figures of a deployment in one or more minutes: the most serious state, the last block, the greatest lag, the mean
 * rate, the sum of the queries, and their longest times.
 */
export interface Figure extends Measured, QueryNumbers {
  /** The beginning, in milliseconds since 1970. */
  readonly at: number;
  /** How many minutes were measured. */
  readonly minutes: number;
  /** Milliseconds within which half of the queries were answered, and 95 of 100, in the slowest minute. */
  readonly p50?: number | undefined;
  readonly p95?: number | undefined;
}

/** A span of time, divided into equal columns. All in milliseconds. */
export interface Span {
  /** The beginning of the first column, since 1970. */
  readonly from: number;
  /** The end of the last column. */
  readonly to: number;
  /** The width of a column. */
  readonly step: number;
}

/** Something that happened to a deployment, or several such events close together. */
export interface Mark {
  readonly kind: MarkKind;
  /** When it happened, or when the first of them did, in milliseconds since 1970. */
  readonly at: number;
  readonly count: number;
  /** For reorganisations: the most blocks that one of them replaced. */
  readonly blocks?: number | undefined;
  /** Of deploys: the last version. */
  readonly version?: string | undefined;
}

/** A version was deployed, indexing failed, the chain was reorganised, or a server began to index. */
export type MarkKind = "deploy" | "failure" | "reorganisation" | "restart";

/** The state of a deployment; `undefined` if unknown. @param isPaused whether all of its versions are paused */
export function figureStateOf(isPaused: boolean, status: HostedStatus | undefined): FigureState | undefined {
  if (!status) return undefined;
  if (status.health === "failed") return "failed";
  if (restsNow(isPaused, status)) return "paused";
  if (status.engineState || status.hold?.kind === "unassigned" || status.nodeState) return "waiting";
  if (status.waitsFor !== undefined || status.isUnwritable) return "waiting";
  if (status.health === "unhealthy") return "errors";
  if (status.health === "unknown") return undefined;
  return status.isSynced ? "synced" : "indexing";
}

/** The blocks between the last indexed one and the chain head; `undefined` if the head is not known. */
export function lagOf({
  headBlock,
  chainHeadBlock,
  startBlock,
}: Pick<HostedStatus, "headBlock" | "chainHeadBlock" | "startBlock">): number | undefined {
  // A deployment without a block lags by all blocks.
  return chainHeadBlock === undefined
    ? undefined
    : Math.max(0, chainHeadBlock - (headBlock ?? startBlock - 1));
}

/**
 * Converts a status to figures.
 * @param isPaused whether all versions of the deployment are paused
 * @param head when the head of the chain was last seen to change, and its time by the chain's own clock. That is used if it is
 *   known: a recorded chain, or one whose blocks are far apart, is not behind because time passes
 */
export function measure(
  isPaused: boolean,
  status: HostedStatus | undefined,
  head: Pick<ChainNode, "headAt" | "headTime"> | undefined,
): Measured {
  const state = figureStateOf(isPaused, status);
  // If the engine does not answer, this is all that is known about its deployment.
  if (!status || status.engineState) return { state };
  const lagBlocks = lagOf(status);
  return {
    state,
    block: status.headBlock,
    chainBlock: status.chainHeadBlock,
    lagBlocks,
    lagSeconds: lagBlocks === 0 ? 0 : secondsBetween(status.headTimestamp, head?.headTime ?? head?.headAt),
    eventsPerSecond: status.handlersPerSecond,
  };
}

function secondsBetween(timestamp: number | undefined, headAt: number | undefined): number | undefined {
  if (timestamp === undefined || headAt === undefined) return undefined;
  return Math.max(0, Math.round(headAt / 1000 - timestamp));
}

/** The more serious of two states. */
export function worse(one: FigureState | undefined, other: FigureState | undefined): FigureState | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return figureStates.indexOf(one) <= figureStates.indexOf(other) ? one : other;
}

function queriesOf({ fromMemory, fromEngine, refused, failed }: QueryNumbers): number {
  return fromMemory + fromEngine + refused + failed;
}

/** The queries per second of a figure; `undefined` if no minute was measured. */
export function queriesPerSecond(figure: Figure): number | undefined {
  return figure.minutes === 0 ? undefined : queriesOf(figure) / (figure.minutes * 60);
}

/** Figures of consecutive minutes as one. @param figures not empty, oldest first */
export function summed(at: number, figures: readonly Figure[]): Figure {
  const most = (of: (figure: Figure) => number | undefined): number | undefined => {
    const known = figures.flatMap((figure) => of(figure) ?? []);
    return known.length === 0 ? undefined : Math.max(...known);
  };
  const total = (of: (figure: Figure) => number): number =>
    figures.reduce((sum, figure) => sum + of(figure), 0);
  const rated = figures.filter(({ eventsPerSecond }) => eventsPerSecond !== undefined);
  const ratedMinutes = rated.reduce((sum, { minutes }) => sum + minutes, 0);
  const events = rated.reduce((sum, { eventsPerSecond = 0, minutes }) => sum + eventsPerSecond * minutes, 0);
  return {
    at,
    minutes: total(({ minutes }) => minutes),
    state: figures.map(({ state }) => state).reduce(worse, undefined),
    block: figures.findLast(({ block }) => block !== undefined)?.block,
    chainBlock: most(({ chainBlock }) => chainBlock),
    lagBlocks: most(({ lagBlocks }) => lagBlocks),
    lagSeconds: most(({ lagSeconds }) => lagSeconds),
    eventsPerSecond: ratedMinutes === 0 ? undefined : events / ratedMinutes,
    fromMemory: total(({ fromMemory }) => fromMemory),
    fromEngine: total(({ fromEngine }) => fromEngine),
    refused: total(({ refused }) => refused),
    failed: total(({ failed }) => failed),
    p50: most(({ p50 }) => p50),
    p95: most(({ p95 }) => p95),
  };
}

/** The figures of a span, in its columns. A column without a measurement is undefined. */
export function columnsOf(
  figures: readonly Figure[],
  { from, to, step }: Span,
): readonly (Figure | undefined)[] {
  const count = Math.max(0, Math.round((to - from) / step));
  const columns: (Figure | undefined)[] = Array.from({ length: count });
  for (const figure of figures) {
    const index = Math.floor((figure.at - from) / step);
    if (index < 0 || index >= count) continue;
    const there = columns[index];
    columns[index] = there ? summed(there.at, [there, figure]) : figure;
  }
  return columns;
}
