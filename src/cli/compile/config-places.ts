import { basename, isAbsolute } from "node:path";
import type { Compilation } from "../../compiler/compilation.js";
import type { Origin } from "../../compiler/emit/emitted-file.js";
import type { ModelOutline } from "../../compiler/model/model-outline.js";
import { type Location, positionAt, type Source, type Span } from "../../compiler/source/source.js";
import type { Build } from "../../subgraph/build.js";
import {
  type ConfigPlaces,
  configPlacesPath,
  largestPlaces,
  type PlacedExpression,
  type PlaceRun,
  printConfigPlaces,
  type SourceText,
} from "../../subgraph/config-places.js";

/** The most characters to keep before and after a location. A configuration may be one long line. */
const around = 120;

/** Collects the lines around locations of one source. Each location lies within a line. */
class LinesAround {
  readonly #spans: Span[] = [];
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  add({ start, end }: Location): void {
    const { text } = this.#source;
    const lineStart = start - positionAt(this.#source, start).column + 1;
    const [lineEnd = text.length] = ["\n", "\r"]
      .map((mark) => text.indexOf(mark, end))
      .filter((found) => found !== -1)
      .toSorted((a, b) => a - b);
    this.#spans.push({ start: Math.max(lineStart, start - around), end: Math.min(lineEnd, end + around) });
  }

  /** The lines, or the parts of long lines. Overlapping parts are merged. @param index of the source */
  texts(index: number): readonly SourceText[] {
    const parts: { start: number; end: number }[] = [];
    for (const { start, end } of this.#spans.toSorted((a, b) => a.start - b.start)) {
      const last = parts.at(-1);
      // Spans of different lines have a line break between them.
      if (last && start <= last.end) last.end = Math.max(last.end, end);
      else parts.push({ start, end });
    }
    return parts.map(({ start, end }) => {
      const { line, column } = positionAt(this.#source, start);
      return [index, line, column, this.#source.text.slice(start, end)];
    });
  }
}

/**
 * Adds to a build the places in the configuration that its code comes from, so that an indexer can show the place of
 * a failure and quote the lines around it. The deployment id does not change. Leaves out lines that are too long, and
 * adds no places if there are too many.
 */
export function withConfigPlaces(
  build: Build,
  origins: Compilation["origins"],
  model: HandledModel | undefined,
): Build {
  const places = configPlaces(origins, model);
  if (places.sources.length === 0 && places.stores.size === 0) return build;
  const { texts: _, expressions: __, ...short } = places;
  const content = [places, short].map(printConfigPlaces).find(({ length }) => length <= largestPlaces);
  if (!content) return build;
  return { ...build, files: new Map([...build.files, [configPlacesPath, content]]) };
}

/** The part of a model that has places: its handlers. */
export type HandledModel = Pick<ModelOutline, "modules">;

/** Maps the code of mappings to places in their configuration, and keeps the lines around those. */
export function configPlaces(origins: Compilation["origins"], model: HandledModel | undefined): ConfigPlaces {
  const paths: string[] = [];
  const indexOf = (path: string): number => {
    const shown = shownPath(path);
    if (!paths.includes(shown)) paths.push(shown);
    return paths.indexOf(shown);
  };
  const files = [...origins].map(
    ([path, own]) => [path, own.flatMap((origin) => runsOf(origin, indexOf))] as const,
  );
  const all = [...origins.values()].flat();
  const lines = new Map<Source, LinesAround>();
  for (const { expression } of all) {
    const { source } = expression.at;
    const own = lines.get(source) ?? new LinesAround(source);
    lines.set(source, own);
    for (const at of linesOf(expression.part(0, expression.value.length))) own.add(at);
  }
  return {
    sources: paths,
    files: new Map(files),
    handlers: handlersOf(all),
    stores: storesOf(all, model),
    texts: [...lines].flatMap(([{ path }, own]) => own.texts(indexOf(path))),
    expressions: expressionsOf(all, indexOf),
  };
}

/** The parts of a location, one for each of its lines, without line breaks. */
function linesOf({ source, pointer, start, end }: Location): readonly Location[] {
  return Array.from(source.text.slice(start, end).matchAll(/[^\r\n]+/g), ({ index, 0: { length } }) => ({
    source,
    pointer,
    start: start + index,
    end: start + index + length,
  }));
}

/** The expressions of each handler, without repetitions. */
function expressionsOf(
  origins: readonly Origin[],
  indexOf: (path: string) => number,
): ReadonlyMap<string, readonly PlacedExpression[]> {
  const found = new Map<string, Map<string, PlacedExpression>>();
  for (const { expression, handler, what } of origins) {
    const [first] = linesOf(expression.part(0, expression.value.length));
    if (!first) continue;
    const { source, start, end } = first;
    const { line, column } = positionAt(source, start);
    const own = found.get(handler) ?? new Map<string, PlacedExpression>();
    const place = `${source.path} ${start}`;
    found.set(handler, own.set(place, [indexOf(source.path), line, column, end - start, what]));
  }
  return new Map([...found].map(([handler, own]) => [handler, [...own.values()]]));
}

/** The runs of a piece of code: one for each part that the configuration contains in the same characters. */
function runsOf(
  { line, column, length, expression, offset }: Origin,
  indexOf: (path: string) => number,
): readonly PlaceRun[] {
  const runs: PlaceRun[] = [];
  for (let at = 0; at < length; at++) {
    const { source, start } = expression.part(offset + at, offset + at + 1);
    const place = positionAt(source, start);
    const [, from, count, , sourceLine, sourceColumn] = runs.at(-1) ?? [0, 0, 0, 0, 0, 0];
    const goesOn = sourceLine === place.line && sourceColumn + count === place.column;
    if (goesOn) runs.pop();
    runs.push(
      goesOn
        ? [line, from, count + 1, indexOf(source.path), sourceLine, sourceColumn]
        : [line, column + at, 1, indexOf(source.path), place.line, place.column],
    );
  }
  return runs;
}

/** The places that describe handlers; for a handler that several instances share, the first. */
function handlersOf(origins: readonly Origin[]): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const { handler, expression } of origins) {
    const { source, pointer } = expression.at;
    const [own] = /^\/instances\/\d+\/enrich\/handlers\/[^/]+/.exec(pointer) ?? [];
    if (own !== undefined && !places.has(handler)) places.set(handler, `${shownPath(source.path)}#${own}`);
  }
  return places;
}

/**
 * The lines that describe what handlers store: for each entity type, its first expression. Without an expression, in
 * a handler that calls a user's own function, the line that names that function.
 */
function storesOf(
  origins: readonly Origin[],
  model: HandledModel | undefined,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const stores = new Map<string, Map<string, string>>();
  const add = (handler: string, type: string, { source, start }: Location): void => {
    const types = stores.get(handler) ?? new Map<string, string>();
    if (types.has(type)) return;
    types.set(type, `${shownPath(source.path)}:${positionAt(source, start).line}`);
    stores.set(handler, types);
  };
  for (const { handler, expression } of origins) {
    const { pointer } = expression.at;
    const [, type] = /^\/instances\/\d+\/enrich\/handlers\/[^/]+\/entities\/([^/]+)/.exec(pointer) ?? [];
    if (type !== undefined) add(handler, type, expression.part(0, 1));
  }
  for (const { name, entities, own } of model?.modules.flatMap(({ handlers }) => handlers) ?? []) {
    if (own) for (const type of entities) add(name, type, own);
  }
  return stores;
}

/** Shortens an absolute path to its file name, because the folders of the person who deploys are private. */
function shownPath(path: string): string {
  return isAbsolute(path) ? basename(path) : path;
}
