import type { HandlerRate } from "../../../hosting/engine.js";
import type { Layout } from "../../../store/tables/layout.js";
import type { EntityCounts } from "../entity-counts.js";
import { digits } from "../parts.js";
import type { MapLine } from "./map-lines.js";
import type { SourceHandlers } from "./maps.js";

/** The figures of a map. What is not known is missing. */
export interface MapFigures {
  /** The number of entities by type. */
  readonly entities: ReadonlyMap<string, bigint>;
  /** Handler runs per second over the last minute, by the key of a contract's or a handler's box. */
  readonly rates: ReadonlyMap<string, number>;
}

/** What the figures are made from. */
export interface KnownFigures {
  readonly layout?: Layout | undefined;
  readonly counts?: EntityCounts | undefined;
  readonly rates?: readonly HandlerRate[] | undefined;
}

/** The figures of a map. */
export function mapFigures(
  lines: readonly MapLine[],
  handlers: SourceHandlers,
  { layout, counts, rates = [] }: KnownFigures,
): MapFigures {
  const entities = new Map<string, bigint>();
  for (const { type, name } of layout?.tables ?? []) {
    const count = counts?.get(name);
    if (count !== undefined) entities.set(type, (entities.get(type) ?? 0n) + count);
  }
  return { entities, rates: ratesOf(lines, handlers, rates) };
}

function ratesOf(
  lines: readonly MapLine[],
  handlers: SourceHandlers,
  known: readonly HandlerRate[],
): ReadonlyMap<string, number> {
  const rateOf = new Map(known.map(({ source, handler, perSecond }) => [keyOf(source, handler), perSecond]));
  const rates = new Map<string, number>();
  const add = (key: string, rate: number): void => void rates.set(key, (rates.get(key) ?? 0) + rate);
  for (const { box, trigger, drawn, contracts } of lines) {
    const boxOf = new Map(
      drawn.contracts.flatMap(({ names, key }) => names.map((name) => [name, key] as const)),
    );
    for (const { name } of contracts) {
      const handler = handlers.get(name)?.get(trigger.text);
      const rate = handler === undefined ? undefined : rateOf.get(keyOf(name, handler));
      if (rate === undefined) continue;
      add(box.key, rate);
      const contract = boxOf.get(name);
      if (contract !== undefined) add(contract, rate);
    }
  }
  return rates;
}

/** Names are untrusted, and may contain anything that could separate them. */
function keyOf(source: string, handler: string): string {
  return JSON.stringify([source, handler]);
}

/** A rate for people, such as `12/s` or `3/min`; nothing while hardly anything runs. */
export function rateText(perSecond: number | undefined): string | undefined {
  if (perSecond === undefined) return undefined;
  if (perSecond >= 10) return `${digits(Math.round(perSecond))}/s`;
  if (perSecond >= 1) return `${Math.round(perSecond * 10) / 10}/s`;
  const perMinute = Math.round(perSecond * 60);
  return perMinute > 0 ? `${perMinute}/min` : undefined;
}
