import { expect } from "vitest";
import type { QueryAnswer } from "../../src/query/engine.js";
import { differences } from "./differences.js";
import { readLines } from "./music.js";

export interface OracleCase {
  readonly name: string;
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly state?: { readonly firstErrorBlock: number };
  readonly expectedData?: unknown;
  readonly expectedErrors?: readonly unknown[];
  readonly expectedErrorPattern?: string;
  readonly expectedErrorCount?: number;
  readonly expectedLocations?: readonly unknown[];
  readonly expectedFieldArgs?: Readonly<Record<string, readonly (readonly [string, string | null])[]>>;
  /** graph-node failed. A clean error or a right answer is as good. */
  readonly internal?: boolean;
}

/** The part of an answer that a client gets. */
export type GivenAnswer = Pick<QueryAnswer, "data" | "errors">;

export const writtenCases = readLines<OracleCase>("oracle/cases.jsonl");
export const randomCases = readLines<OracleCase>("oracle/random.jsonl");

/** Checks the answer to a handwritten query. */
export function checkAnswer(answer: GivenAnswer, one: OracleCase): void {
  checkErrors(answer, one);
  if (one.expectedFieldArgs) expect(fieldArguments(answer)).toMatchObject(one.expectedFieldArgs);
  else expect(answer.data, one.name).toEqual(one.expectedData);
}

/** Whether an answer to a random query equals graph-node's or is as good. */
export function isRight({ data, errors }: GivenAnswer, one: OracleCase): boolean {
  const { name, internal, expectedData, expectedErrors } = one;
  return (
    (same(data, expectedData) && same(errors, expectedErrors)) ||
    (differences.has(name) && sameButOrder(data, expectedData)) ||
    (internal === true && (errors === undefined || errors.every(({ message }) => message !== "")))
  );
}

function checkErrors({ errors = [] }: GivenAnswer, one: OracleCase): void {
  const { expectedErrorPattern: pattern, expectedErrors, expectedErrorCount, expectedLocations } = one;
  if (pattern === undefined && !expectedErrors) expect(errors, one.name).toEqual([]);
  if (pattern !== undefined) expect(errors[0]?.message).toMatch(new RegExp(pattern));
  if (expectedErrors) expect(errors, one.name).toEqual(expectedErrors);
  if (expectedErrorCount !== undefined) expect(errors, one.name).toHaveLength(expectedErrorCount);
  if (expectedLocations) expect(errors[0]?.locations).toEqual(expectedLocations);
}

/** Names and defaults of arguments, by root field. */
function fieldArguments({ data }: GivenAnswer): unknown {
  const found: { readonly __type: { readonly fields: readonly FieldFacts[] } } = JSON.parse(
    JSON.stringify(data),
  );
  return Object.fromEntries(
    found.__type.fields.map(({ name, args }) => [name, args.map((one) => [one.name, one.defaultValue])]),
  );
}

interface FieldFacts {
  readonly name: string;
  readonly args: readonly { readonly name: string; readonly defaultValue: string | null }[];
}

function same(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** Whether each root field has the same rows in any order. */
function sameButOrder(one: unknown, other: unknown): boolean {
  const sorted = (data: unknown): unknown =>
    Object.entries(data ?? {}).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map((item) => canonical(item)).sort() : value,
    ]);
  return same(sorted(one), sorted(other));
}

/** JSON with sorted keys. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
