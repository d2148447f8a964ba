import { beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../src/platform/database/database.js";
import { createQueryEngine, type QueryAnswer, type QueryEngine } from "../../../src/platform/query/engine.js";
import type { Layout } from "../../../src/platform/tables/layout.js";
import { describeDatabases, world } from "../../support/databases.js";
import { differences } from "./differences.js";
import { fillMusic, musicDeployment, readLines } from "./music.js";

/** A query and what graph-node answered. */
interface OracleCase {
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
  /** graph-node failed: a clean error is as good, or a right answer. */
  readonly internal?: boolean;
}

const written = readLines<OracleCase>("oracle/cases.jsonl");
const random = readLines<OracleCase>("oracle/random.jsonl");

describeDatabases("answers are graph-node's", ({ fresh }) => {
  let database: Database;
  let layout: Layout;
  const engines = new Map<number | undefined, QueryEngine>();

  beforeAll(async () => {
    database = await fresh();
    layout = await fillMusic(database);
  });

  const ask = ({ query, variables, state }: OracleCase): Promise<QueryAnswer> => {
    const { firstErrorBlock } = state ?? {};
    const deployment = musicDeployment(layout, firstErrorBlock);
    const engine = engines.get(firstErrorBlock) ?? createQueryEngine({ database, deployment, world });
    engines.set(firstErrorBlock, engine);
    return engine.execute({ query, ...(variables && { variables }) });
  };

  describe("to queries written by hand", () => {
    test.each(written)("$name", async (one) => {
      const answer = await ask(one);
      checkErrors(answer, one);
      if (one.expectedFieldArgs) expect(fieldArguments(answer)).toMatchObject(one.expectedFieldArgs);
      else expect(answer.data).toEqual(one.expectedData);
    });
  });

  test("to 2,000 random queries", async () => {
    const engine = createQueryEngine({ database, deployment: musicDeployment(layout), world });
    const wrong: unknown[] = [];
    for (const { name, query, internal, expectedData, expectedErrors } of random) {
      const { data, errors } = await engine.execute({ query });
      const isRight =
        (same(data, expectedData) && same(errors, expectedErrors)) ||
        (differences.has(name) && sameButOrder(data, expectedData)) ||
        (internal === true && (errors === undefined || errors.every(({ message }) => message !== "")));
      if (!isRight) wrong.push({ name, query, data, errors, expectedData, expectedErrors });
    }
    expect(wrong).toEqual([]);
  }, 600_000);
});

function checkErrors({ errors = [] }: QueryAnswer, one: OracleCase): void {
  const { expectedErrorPattern: pattern, expectedErrors, expectedErrorCount, expectedLocations } = one;
  if (pattern === undefined && !expectedErrors) expect(errors).toEqual([]);
  if (pattern !== undefined) expect(errors[0]?.message).toMatch(new RegExp(pattern));
  if (expectedErrors) expect(errors).toEqual(expectedErrors);
  if (expectedErrorCount !== undefined) expect(errors).toHaveLength(expectedErrorCount);
  if (expectedLocations) expect(errors[0]?.locations).toEqual(expectedLocations);
}

/** Names and defaults of arguments, by root field. */
function fieldArguments({ data }: QueryAnswer): unknown {
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

/** The same rows of each root field, in whatever order. */
function sameButOrder(one: unknown, other: unknown): boolean {
  const sorted = (data: unknown): unknown =>
    Object.entries(data ?? {}).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map((item) => canonical(item)).sort() : value,
    ]);
  return same(sorted(one), sorted(other));
}

/** JSON with keys in order. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
