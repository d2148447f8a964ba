import { isRecord, parseJson } from "../base/json-value.js";
import { BundleError } from "./bundle-error.js";

/** Path of the file within a build. No manifest links to it, so it does not affect the deployment id. */
export const configPlacesPath = "graphloom.places.json";

/** Maximum size of the file in bytes. */
export const largestPlaces = 1_000_000;

/**
 * A part of a mapping's line that comes verbatim from the configuration: line, first column and length in the
 * mapping; index of the configuration among the sources, line and column in it. Lines and columns count from
 * 1.
 */
export type PlaceRun = readonly [
  line: number,
  column: number,
  length: number,
  source: number,
  sourceLine: number,
  sourceColumn: number,
];

/** Where in the configuration the code of mappings comes from. */
export interface ConfigPlaces {
  /** Paths of configurations, as messages show them. */
  readonly sources: readonly string[];
  /** Runs by the path of the mapping's source, as the compiler saw it: `src/pool.ts`. */
  readonly files: ReadonlyMap<string, readonly PlaceRun[]>;
  /** Places of the handlers, by handler name: `subgraph.json#/instances/0/enrich/handlers/Swap(uint256)`. */
  readonly handlers: ReadonlyMap<string, string>;
  /** Where a handler's entities are described, by handler name, then by entity type: `subgraph.json:20`. */
  readonly stores: ReadonlyMap<string, ReadonlyMap<string, string>>;
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
  const run =
    at &&
    files
      .get(at.file)
      ?.find(
        ([line, column, length]) => line === at.line && at.column >= column && at.column < column + length,
      );
  if (!at || !run) return handlers.get(handler);
  const [, column, , source, sourceLine, sourceColumn] = run;
  return `${sources[source]}:${sourceLine}:${sourceColumn + at.column - column}`;
}

/** The file's content. */
export function printConfigPlaces({ sources, files, handlers, stores }: ConfigPlaces): Uint8Array {
  const content = {
    ...{ version: 1, sources, files: [...files], handlers: [...handlers] },
    stores: [...stores].map(([handler, types]) => [handler, [...types]]),
  };
  return new TextEncoder().encode(JSON.stringify(content));
}

/** Reads the file, which is untrusted. @throws BundleError if it is invalid */
export function readConfigPlaces(content: string | Uint8Array): ConfigPlaces {
  if (content.length > largestPlaces) {
    throw damaged(`has more than ${largestPlaces.toLocaleString("en")} bytes`);
  }
  const value = parseJson(typeof content === "string" ? content : new TextDecoder().decode(content));
  if (!isRecord(value) || value.version !== 1) throw damaged("is not in version 1 of its format");
  const sources = listOf(value.sources, isText);
  const isRun = (run: unknown): run is PlaceRun =>
    Array.isArray(run) &&
    run.length === 6 &&
    run.every((number) => Number.isSafeInteger(number) && number >= 0) &&
    run[3] < sources.length;
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

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function damaged(how: string): BundleError {
  return new BundleError(`${configPlacesPath} ${how}; rebuild the subgraph, or remove the file`);
}
