import { isRecord, parseJson } from "../base/text/json-value.js";
import { BundleError } from "./bundle-error.js";

/** Path of the file within a build. No manifest links to it, so it does not affect the deployment id. */
export const configPlacesPath = "graphloom.places.json";

/** Maximum size of the file in bytes. */
export const largestPlaces = 1_000_000;

/**
 * A part of a mapping's line copied verbatim from the configuration: line, first column and length in the mapping;
 * index of the configuration among the sources, line and column in it. Lines and columns count from 1.
 */
export type PlaceRun = readonly [
  line: number,
  column: number,
  length: number,
  source: number,
  sourceLine: number,
  sourceColumn: number,
];

/** All or part of a line of a configuration: index of the source, line, first column, text. */
export type SourceText = readonly [source: number, line: number, column: number, text: string];

/** An expression of a handler, up to the end of its first line, and what it computes: `the value of Balance.owner`. */
export type PlacedExpression = readonly [
  source: number,
  line: number,
  column: number,
  length: number,
  what: string,
];

/** Where in the configuration the code of mappings comes from. */
export interface ConfigPlaces {
  /** Paths of configurations, as messages show them. */
  readonly sources: readonly string[];
  /** Runs by the path of the mapping's source, as the compiler saw it: `src/pool.ts`. */
  readonly files: ReadonlyMap<string, readonly PlaceRun[]>;
  /** Places of the handlers, by handler name: `subgraph.json#/instances/0/enrich/handlers/Swap(uint256)`. */
  readonly handlers: ReadonlyMap<string, string>;
  /**
   * Where a handler's entities are described, or where the user's function that stores them is named: by handler
   * name, then by entity type, `subgraph.json:20`.
   */
  readonly stores: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The text of the lines around all expressions. Absent if it is too long, and in builds of earlier versions. */
  readonly texts?: readonly SourceText[];
  /** The expressions of the handlers, by handler name. Absent together with the texts. */
  readonly expressions?: ReadonlyMap<string, readonly PlacedExpression[]>;
}

/** All or part of a line of a configuration, with a marked range. */
export interface ConfigExcerpt {
  readonly source: string;
  readonly line: number;
  /** Column of the marked part. */
  readonly column: number;
  readonly before: string;
  readonly marked: string;
  readonly after: string;
  /** What the expression computes, if known: `the value of Balance.owner`. */
  readonly what?: string;
}

/** A position in the source of a mapping, both from 1. */
export interface MappingPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * The place in the configuration where something failed.
 * @param at where it failed in the mapping, if known
 * @returns `subgraph.json:20:41`; or the place of the handler, with a JSON pointer; `undefined` if neither is
 * known
 */
export function configPlaceOf(
  { sources, files, handlers }: ConfigPlaces,
  at: MappingPlace | undefined,
  handler: string,
): string | undefined {
  const run = runAt(files, at);
  if (!at || !run) return handlers.get(handler);
  const [, column, , source, sourceLine, sourceColumn] = run;
  return `${sources[source]}:${sourceLine}:${sourceColumn + at.column - column}`;
}

function runAt(files: ConfigPlaces["files"], at: MappingPlace | undefined): PlaceRun | undefined {
  return (
    at &&
    files
      .get(at.file)
      ?.find(
        ([line, column, length]) => line === at.line && at.column >= column && at.column < column + length,
      )
  );
}

/** The most expressions of a handler that are shown. A longer list would not help to find the right one. */
const mostShown = 6;

/**
 * The part of the configuration where something failed: the expression from the point of failure on, or else all
 * expressions of the handler, unless there are too many.
 * @param at where it failed in the mapping, if known
 */
export function configExcerpts(
  places: ConfigPlaces,
  at: MappingPlace | undefined,
  handler: string,
): readonly ConfigExcerpt[] {
  const own = places.expressions?.get(handler) ?? [];
  const run = runAt(places.files, at);
  if (!at || !run) {
    return own.length > mostShown ? [] : own.flatMap((expression) => excerptOf(places, expression));
  }
  const [, from, length, source, line, first] = run;
  const column = first + at.column - from;
  const what = own.find(
    ([of, on, start, width]) => of === source && on === line && column >= start && column < start + width,
  )?.[4];
  return excerptOf(places, [source, line, column, first + length - column, what ?? ""]);
}

function excerptOf(
  { sources, texts = [] }: ConfigPlaces,
  [source, line, column, length, what]: PlacedExpression,
): readonly ConfigExcerpt[] {
  const found = texts.find(
    ([of, on, from, text]) => of === source && on === line && column >= from && column < from + text.length,
  );
  if (!found) return [];
  const [, , from, text] = found;
  const start = column - from;
  const [before, marked, after] = [
    text.slice(0, start),
    text.slice(start, start + length),
    text.slice(start + length),
  ];
  const name = sources[source] ?? "";
  return [{ source: name, line, column, before, marked, after, ...(what !== "" && { what }) }];
}

/** Serializes the places. */
export function printConfigPlaces({
  sources,
  files,
  handlers,
  stores,
  texts,
  expressions,
}: ConfigPlaces): Uint8Array {
  const content = {
    version: 1,
    sources,
    files: [...files],
    handlers: [...handlers],
    stores: [...stores].map(([handler, types]) => [handler, [...types]]),
    ...(texts && expressions && { texts, expressions: [...expressions] }),
  };
  return new TextEncoder().encode(JSON.stringify(content));
}

/**
 * Parses the file, which is untrusted.
 * @throws BundleError if it is invalid
 */
export function readConfigPlaces(content: string | Uint8Array): ConfigPlaces {
  if (content.length > largestPlaces) {
    throw damaged(`has more than ${largestPlaces.toLocaleString("en")} bytes`);
  }
  const value = parseJson(typeof content === "string" ? content : new TextDecoder().decode(content));
  if (!isRecord(value) || value.version !== 1) throw damaged("is not in version 1 of its format");
  const sources = listOf(value.sources, isText);
  const isRun = (run: unknown): run is PlaceRun =>
    Array.isArray(run) && run.length === 6 && run.every(isCount) && Number(run[3]) < sources.length;
  const isMarked =
    (numbers: number) =>
    (value: unknown): value is readonly [number, ...unknown[]] =>
      Array.isArray(value) &&
      value.length === numbers + 1 &&
      value.slice(0, numbers).every(isCount) &&
      isText(value[numbers]) &&
      value[0] < sources.length;
  const isSourceText = (value: unknown): value is SourceText => isMarked(3)(value);
  const isExpression = (value: unknown): value is PlacedExpression => isMarked(4)(value);
  return {
    sources,
    files: new Map(
      listOf(
        value.files,
        pairOf(isText, (runs): runs is PlaceRun[] => all(runs, isRun)),
      ),
    ),
    handlers: new Map(listOf(value.handlers, pairOf(isText, isText))),
    // Missing in the files of older versions.
    stores: new Map(
      listOf(
        value.stores ?? [],
        pairOf(isText, (types): types is (readonly [string, string])[] => all(types, pairOf(isText, isText))),
      ).map(([handler, types]) => [handler, new Map(types)]),
    ),
    ...(value.texts !== undefined && {
      texts: listOf(value.texts, isSourceText),
      expressions: new Map(
        listOf(
          value.expressions,
          pairOf(isText, (list): list is PlacedExpression[] => all(list, isExpression)),
        ),
      ),
    }),
  };
}

type Check<T> = (value: unknown) => value is T;

function listOf<T>(value: unknown, isOne: Check<T>): readonly T[] {
  if (!all(value, isOne)) throw damaged("is damaged");
  return value;
}

function all<T>(value: unknown, isOne: Check<T>): value is readonly T[] {
  return Array.isArray(value) && value.every(isOne);
}

function pairOf<First, Second>(isFirst: Check<First>, isSecond: Check<Second>) {
  return (value: unknown): value is readonly [First, Second] =>
    Array.isArray(value) && value.length === 2 && isFirst(value[0]) && isSecond(value[1]);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function damaged(how: string): BundleError {
  return new BundleError(`${configPlacesPath} ${how}; rebuild the subgraph, or remove the file`);
}
