import type { Entity } from "../../../subgraph/schema/entity.js";
import type { CallTrace, Log } from "../../chain/chain.js";
import type { DecodedParameter } from "../../values.js";
import { type ActiveSource, listensAt } from "../active-source.js";
import type { WrittenEntity } from "../composition/entity-window.js";
import type { PreparedEntity, PreparedEvent } from "../template-code.js";
import { calledHandler, firstHandler, lastHandler } from "./block-handlers.js";
import type { BlockTriggers } from "./block-triggers.js";

/** One event, call, block, file or entity of another subgraph, and the handler to run for it. */
export type Match = EventMatch | CallMatch | BlockMatch | FileMatch | EntityMatch;

export interface EventMatch {
  readonly kind: "event";
  readonly source: ActiveSource;
  readonly prepared: PreparedEvent;
  readonly handler: string;
  /** Whether the receipt is needed by this handler, or by the handler of another source for the same log. */
  readonly receipt: boolean;
  /** When several handlers of the source match the log, the event of the last one; graph-node runs none of them. */
  readonly ambiguous?: string;
  /** Why the handler cannot run: the error message when the ABI lacks the event. */
  readonly lacking?: string;
  readonly log: Log;
  readonly params: readonly DecodedParameter[];
}

export interface CallMatch {
  readonly kind: "call";
  readonly source: ActiveSource;
  readonly handler: string;
  /** Why the handler cannot run: the error message when the ABI lacks the function. */
  readonly lacking?: string;
  readonly call: CallTrace;
  readonly inputs: readonly DecodedParameter[];
  readonly outputs: readonly DecodedParameter[];
}

export interface BlockMatch {
  readonly kind: "block";
  readonly source: ActiveSource;
  readonly handler: string;
}

/** A file was found; nothing happened on the chain. */
export interface FileMatch {
  readonly kind: "file";
  readonly source: ActiveSource;
  readonly handler: string;
  readonly content: Uint8Array;
}

/** Another subgraph has written an entity. */
export interface EntityMatch {
  readonly kind: "entity";
  readonly source: ActiveSource;
  readonly prepared: PreparedEntity;
  readonly handler: string;
  readonly entity: Entity;
  /** The entity's type, if the source has several handlers for it; graph-node runs none of them. */
  readonly ambiguous?: string;
}

/** Sources to match against the logs and calls of a block. */
export interface OfferedSources {
  /** The sources that could listen to an address, in order. */
  at(address: string): readonly ActiveSource[];
  /** The sources with block handlers, in order. */
  readonly onBlocks: readonly ActiveSource[];
}

/**
 * The handler runs of a block, in graph-node's order: first `once` handlers, then events and calls, then block handlers
 * for calls, and finally the other block handlers. Within each group, sources keep their order.
 */
export function matchTriggers(
  { logs, calls, entities = [] }: BlockTriggers,
  block: number,
  sources: OfferedSources,
): readonly Match[] {
  const { onBlocks } = sources;
  if (entities.length > 0) return entities.flatMap(matchEntity);
  const happened = matchTransactions(logs, calls, block, (address) => sources.at(address));
  if (onBlocks.length === 0) return happened;
  return [
    ...matchBlock(onBlocks, (source) => firstHandler(source, block)),
    ...happened,
    ...calledAddresses(calls, onBlocks).flatMap((address) => {
      return matchBlock(sources.at(address), (source) => calledHandler(source, block));
    }),
    ...matchBlock(onBlocks, (source) => lastHandler(source, block)),
  ];
}

function matchBlock(
  sources: readonly ActiveSource[],
  handlerOf: (source: ActiveSource) => string | undefined,
): readonly BlockMatch[] {
  return sources.flatMap((source) => {
    const handler = handlerOf(source);
    return handler === undefined ? [] : [{ kind: "block" as const, source, handler }];
  });
}

function matchEntity({ source, type, entity }: WrittenEntity): readonly EntityMatch[] {
  const [prepared, ...others] = source.code.entities.get(type) ?? [];
  if (!prepared) return [];
  const { handler } = prepared.handler;
  const ambiguous = others.length > 0 ? { ambiguous: type } : {};
  return [{ kind: "entity", source, prepared, handler, entity, ...ambiguous }];
}

/** Called addresses with block handlers for calls, in the order of the calls, without direct repetitions. */
function calledAddresses(calls: readonly CallTrace[], sources: readonly ActiveSource[]): readonly string[] {
  const wanted = new Set(
    sources.flatMap(({ address, template }) =>
      address !== undefined && template.blockHandlers.some(({ filter }) => filter.kind === "call")
        ? [address]
        : [],
    ),
  );
  const called = calls.map(({ to }) => to).filter((address) => wanted.has(address));
  return called.filter((address, index) => address !== called[index - 1]);
}

/** Sorted by transaction; within each, events by log index and then calls. */
function matchTransactions(
  logs: readonly Log[],
  calls: readonly CallTrace[],
  block: number,
  sourcesAt: (address: string) => readonly ActiveSource[],
): readonly Match[] {
  const triggers: { readonly at: number; readonly rank: number; match(): readonly Match[] }[] = [
    ...logs.map((log) => ({
      at: log.transactionIndex,
      rank: 0,
      match: () => matchLog(log, block, sourcesAt),
    })),
    ...calls.map((call) => ({
      at: call.transactionIndex,
      rank: 1,
      match: () => matchCall(call, block, sourcesAt),
    })),
  ];
  // The sort is stable: logs stay in the order of their index, calls in that of execution.
  if (calls.length > 0) triggers.sort((a, b) => a.at - b.at || a.rank - b.rank);
  return triggers.flatMap(({ match }) => match());
}

function matchLog(
  log: Log,
  block: number,
  sourcesAt: (address: string) => readonly ActiveSource[],
): readonly EventMatch[] {
  const [topic0] = log.topics;
  if (topic0 === undefined) return [];
  const matches: EventMatch[] = [];
  for (const source of sourcesAt(log.address)) {
    if (!listensAt(source, block)) continue;
    const match = matchSource(source, log, topic0);
    if (match) matches.push(match);
  }
  if (matches.length < 2 || !matches.some(({ receipt }) => receipt)) return matches;
  return matches.map((match) => ({ ...match, receipt: true }));
}

function matchSource(source: ActiveSource, log: Log, topic0: string): EventMatch | undefined {
  const all = (source.code.events.get(topic0) ?? []).flatMap((prepared): EventMatch[] => {
    const params = prepared.decode(log);
    if (!params) return [];
    const { handler, receipt } = prepared.handler;
    return [{ kind: "event", source, prepared, handler, receipt, log, params }];
  });
  const unknown = all.find(({ prepared }) => prepared.lacking !== undefined);
  if (unknown) return { ...unknown, ...lackingOf(unknown.prepared) };
  const [match] = all;
  const last = all.length > 1 ? all.at(-1) : undefined;
  return match && last ? { ...match, ambiguous: last.prepared.handler.event } : match;
}

function matchCall(
  call: CallTrace,
  block: number,
  sourcesAt: (address: string) => readonly ActiveSource[],
): readonly CallMatch[] {
  if (call.isUndone) return [];
  const selector = call.input.slice(0, 10);
  const matches: CallMatch[] = [];
  for (const source of sourcesAt(call.to)) {
    if (!listensAt(source, block)) continue;
    const prepared = source.code.calls.get(selector)?.[0];
    const decoded = prepared?.decode(call);
    if (!prepared || !decoded) continue;
    const { handler } = prepared.handler;
    matches.push({ kind: "call", source, handler, call, ...lackingOf(prepared), ...decoded });
  }
  return matches;
}

function lackingOf({ lacking }: Pick<PreparedEvent, "lacking">): Pick<EventMatch, "lacking"> {
  return lacking === undefined ? {} : { lacking };
}
