import { joinRows, noRows, pickRows, type Rows, textOfRow } from "../changes/rows.js";
import { nodesBefore } from "../plan/nodes-before.js";
import type { PipelinePlan, PlannedSink, PlannedSource } from "../plan/pipeline-plan.js";
import { FilledRows } from "../runner/filled-rows.js";
import { openFill } from "../runner/pipeline-tables.js";
import { openProgram, type ProgramWorld } from "../runner/program.js";
import type { Source } from "../sources/source.js";
import type { Expectation, ExpectedRow, PipelineTest } from "./pipeline-test.js";

/** How the rows of a node differ from a test's expected rows. */
export interface Difference {
  readonly node: string;
  /** Expected rows that are not there. */
  readonly missing: readonly ExpectedRow[];
  /** Rows that exist but are not expected. */
  readonly extra: Rows;
}

/**
 * Runs a test through the transforms of a plan, as a pipeline would.
 * @returns an empty list if it passes
 * @throws QueryError, TransformError
 */
export async function runTest(
  plan: PipelinePlan,
  test: PipelineTest,
  world: ProgramWorld,
): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for (const expectation of test.expected) {
    const made = await rowsOfNode(plan, test, expectation, world);
    const difference = compare(expectation, made);
    if (difference) differences.push(difference);
  }
  return differences;
}

async function rowsOfNode(
  plan: PipelinePlan,
  { given }: PipelineTest,
  { node }: Expectation,
  world: ProgramWorld,
): Promise<readonly Rows[]> {
  const program = await openProgram(plan, sinkOf(plan, node), givenTables(plan, { given }, world));
  try {
    const made: Rows[] = [];
    if (program.open) {
      const source = program.open((one) => givenSource(one, given));
      for await (const { delta } of source.batches(undefined)) made.push(delta.plus);
      return made;
    }
    for (const { name, schema } of program.sources)
      for (const { source, rows } of given)
        if (source === name) {
          const delta = { minus: noRows(schema.columns.length), plus: rows };
          made.push((await program.apply(name, delta)).plus);
        }
    return made;
  } finally {
    await program.close();
  }
}

/** The rows that a test gives to a source, at once. */
function givenSource({ name, schema }: PlannedSource, given: PipelineTest["given"]): Source {
  return {
    async *batches() {
      const width = schema.columns.length;
      const parts = given.filter(({ source }) => source === name).map(({ rows }) => rows);
      const delta = { minus: noRows(width), plus: joinRows(parts, width) };
      yield { from: 0, to: 0, isUndone: false, delta, position: { next: 1, open: [] } };
    },
  };
}

/** Tables that queries fill contain the results for all rows of the test. */
function givenTables(
  plan: PipelinePlan,
  { given }: Pick<PipelineTest, "given">,
  world: ProgramWorld,
): ProgramWorld {
  const within: ProgramWorld = {
    openEngine: (isJob) => world.openEngine(isJob),
    openTransform: (planned) => world.openTransform(planned),
    openLookup: (planned) => world.openLookup(planned),
    openTable: async (planned) => {
      if (!planned.fill) return world.openTable(planned);
      const { query, source } = planned.fill;
      const values = new Set<string>();
      const filled = FilledRows.of(planned);
      const program = await openFill(plan, query, within);
      try {
        for (const { rows } of given.filter((one) => one.source === source.name)) {
          const delta = { minus: noRows(rows.columns.length), plus: rows };
          const { plus } = await program.apply(source.name, delta);
          filled?.add(plus, { from: 0, to: Number.POSITIVE_INFINITY });
          for (const value of plus.columns[0] ?? []) if (value !== null) values.add(String(value));
        }
      } finally {
        await program.close();
      }
      return {
        prepare: async () => undefined,
        since: (value) => (values.has(value) ? 0 : undefined),
        versions: (key) => filled?.versions(key) ?? [],
        close: async () => undefined,
      };
    },
  };
  return within;
}

/** A sink that receives the rows of a node unchanged. */
function sinkOf(
  { sinks: [any], transforms }: PipelinePlan,
  { name, schema }: Expectation["node"],
): PlannedSink {
  const before = nodesBefore(name, { transforms });
  const isWhole = transforms.some((one) => before.has(one.name) && one.query?.stateful !== undefined);
  // A plan needs at least one sink; its target does not matter for the rows that lead to another node.
  return { ...(any as PlannedSink), name: "test", from: name, schema, isWhole };
}

/** Rows may come in any order. Each expected row must appear once. */
function compare({ node, rows: expected }: Expectation, parts: readonly Rows[]): Difference | undefined {
  const made = parts.flatMap((part) => Array.from({ length: part.count }, (_, row) => pickRows(part, [row])));
  const left = new Set(made);
  const missing = expected.filter((wanted) => {
    const text = textOfRow(wanted.values, 0, wanted.columns);
    const found = [...left].find((row) => textOfRow(row, 0, wanted.columns) === text);
    return found === undefined || !left.delete(found);
  });
  if (missing.length === 0 && left.size === 0) return undefined;
  const width = node.schema.columns.length;
  const extra = {
    count: left.size,
    columns: Array.from({ length: width }, (_, column) =>
      [...left].map((row) => row.columns[column]?.[0] ?? null),
    ),
  };
  return { node: node.name, missing, extra };
}
