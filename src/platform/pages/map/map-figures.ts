import { groupBy } from "../../../base/group-by.js";
import type { HandlerCount, HandlerCounts } from "../../../store/deployments/handler-counts.js";
import type { Layout } from "../../../store/tables/layout.js";
import type { EntityCounts } from "../entity-counts.js";
import { digits } from "../parts.js";
import type { MapLine } from "./map-lines.js";
import type { SourceHandlers } from "./maps.js";

/** A count, and its rate over the last minute. */
export interface Figure {
  readonly count: bigint;
  readonly perSecond: number;
}

/** Figures by entity type. */
export type StoredFigures = ReadonlyMap<string, Figure>;

/** The figures of a map. Unknown ones are missing. Boxes are identified by their keys. */
export interface MapFigures {
  /** The number of entities by type. */
  readonly entities: ReadonlyMap<string, bigint>;
  /** How often a handler has run, or all handlers of the box of a contract. */
  readonly runs: ReadonlyMap<string, Figure>;
  /** How often a handler, or all handlers of a panel, have stored entities. */
  readonly stored: ReadonlyMap<string, StoredFigures>;
}

/** The basis of the figures. */
export interface KnownFigures {
  readonly layout?: Layout | undefined;
  readonly counts?: EntityCounts | undefined;
  readonly handlers?: HandlerCounts | undefined;
}

/** The figures of a map. @param handlers the names of its handlers */
export function mapFigures(
  lines: readonly MapLine[],
  handlers: SourceHandlers,
  { layout, counts, handlers: counted }: KnownFigures,
): MapFigures {
  const entities = new Map<string, bigint>();
  for (const { type, name } of layout?.tables ?? []) {
    const count = counts?.get(name);
    if (count !== undefined) entities.set(type, (entities.get(type) ?? 0n) + count);
  }
  return { entities, ...handlerFigures(lines, handlers, counted?.counts ?? []) };
}

function handlerFigures(
  lines: readonly MapLine[],
  handlers: SourceHandlers,
  counts: readonly HandlerCount[],
): Pick<MapFigures, "runs" | "stored"> {
  const countsOf = new Map(
    [...groupBy(counts, ({ source }) => source)].map(
      ([source, own]) => [source, groupBy(own, ({ handler }) => handler)] as const,
    ),
  );
  const runs = new Map<string, Figure>();
  const stored = new Map<string, Map<string, Figure>>();
  // A box with incomplete figures shows none: its sum would be wrong.
  const incomplete = new Set<string>();
  for (const { box, trigger, drawn, contracts } of lines) {
    const boxOf = new Map(
      drawn.contracts.flatMap(({ names, key }) => names.map((name) => [name, key] as const)),
    );
    for (const { name } of contracts) {
      const handler = handlers.get(name)?.get(trigger.text);
      const running = [box.key, boxOf.get(name) ?? box.key];
      const storing = [box.key, drawn.key];
      if (handler === undefined) for (const key of [...running, ...storing]) incomplete.add(key);
      for (const { type, ...figure } of handler === undefined ? [] : (countsOf.get(name)?.get(handler) ?? []))
        if (type === "") for (const key of new Set(running)) add(runs, key, figure);
        else for (const key of storing) add(ofBox(stored, key), type, figure);
    }
  }
  for (const key of incomplete) {
    runs.delete(key);
    stored.delete(key);
  }
  return { runs, stored };
}

function ofBox(stored: Map<string, Map<string, Figure>>, key: string): Map<string, Figure> {
  const known = stored.get(key) ?? new Map<string, Figure>();
  stored.set(key, known);
  return known;
}

function add(figures: Map<string, Figure>, key: string, { count, perSecond }: Figure): void {
  const before = figures.get(key);
  figures.set(key, {
    count: (before?.count ?? 0n) + count,
    perSecond: (before?.perSecond ?? 0) + perSecond,
  });
}

/** A figure for people, such as `1,204 · 12/s`; `undefined` for a count of 0. */
export function figureText(figure: Figure | undefined): string | undefined {
  if (figure === undefined || figure.count <= 0n) return undefined;
  const rate = rateText(figure.perSecond);
  return rate === undefined ? digits(figure.count) : `${digits(figure.count)} · ${rate}`;
}

/** A rate for people, such as `12/s` or `3/min`; empty for very low rates. */
export function rateText(perSecond: number | undefined): string | undefined {
  if (perSecond === undefined) return undefined;
  if (perSecond >= 10) return `${digits(Math.round(perSecond))}/s`;
  if (perSecond >= 1) return `${Math.round(perSecond * 10) / 10}/s`;
  const perMinute = Math.round(perSecond * 60);
  return perMinute > 0 ? `${perMinute}/min` : undefined;
}
