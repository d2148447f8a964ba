import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { expect, TestRunner } from "vitest";

const { GRAPHLOOM_LAW_SEEDS: count, GRAPHLOOM_LAW_FROM: from, GRAPHLOOM_LAW_REPORT: report } = process.env;

/** Whether `npm run campaign:flows` runs the tests. */
export const isLawCampaign = count !== undefined;

/** Number of random schedules: what the campaign says, or what the suite has time for. */
export function lawSeeds(inSuite: number): number {
  return Number(count ?? inSuite);
}

/** What a schedule has shown; added up over all schedules of a sink. */
export interface Seen {
  readonly reorganisations: number;
  /** The most blocks that were replaced at once. */
  readonly deepest: number;
  /** Batches with several changes of one key. */
  readonly repeating: number;
  /** How often the process was killed, and how often of these while it recovered from an earlier end. */
  readonly kills: number;
  readonly recoveries: number;
  /** How often the test has cut the connection. */
  readonly cuts: number;
}

/**
 * Runs a schedule for each seed. In a campaign, it continues after a failure, skips the seeds that an
 * earlier run of the campaign has passed, and notes each in its report.
 */
export async function eachSeed(
  seeds: number,
  run: (seed: number) => Promise<Seen | undefined>,
): Promise<void> {
  await eachGroupOfSeeds(seeds, 1, async ([seed = 0]) => [await run(seed)]);
}

/**
 * Runs schedules as `eachSeed` does, several at once.
 * @param size how many, at most
 * @param run returns what each of its schedules has shown, or why it failed, in their order
 */
export async function eachGroupOfSeeds(
  seeds: number,
  size: number,
  run: (seeds: readonly number[]) => Promise<readonly (Seen | Error | undefined)[]>,
): Promise<void> {
  // The report is read again by a campaign with another count.
  const test = expect.getState().currentTestName?.replace(/, for \d+ schedules$/, "");
  // The campaign finds it by the tag.
  expect(TestRunner.getCurrentTest()?.tags, "tags of a test with schedules").toContain("law");
  const first = Number(from ?? 1);
  const passed = new Set(
    notes()
      .filter((note) => note.test === test && note.failure === undefined)
      .map(({ seed }) => seed),
  );
  const left = Array.from({ length: seeds }, (_, index) => first + index).filter((seed) => !passed.has(seed));
  const failures: unknown[] = [];
  for (let begin = 0; begin < left.length; begin += size) {
    const group = left.slice(begin, begin + size);
    const start = performance.now();
    const shown = await run(group).catch((error: unknown) => {
      if (report === undefined) throw error;
      return group.map(() => (error instanceof Error ? error : new Error(String(error))));
    });
    const milliseconds = Math.round((performance.now() - start) / group.length);
    for (const [index, seed] of group.entries()) {
      const seen = shown[index];
      if (seen instanceof Error) {
        if (report === undefined) throw seen;
        note({ test, seed, failure: String(seen) });
        failures.push(seen);
      } else note({ test, seed, milliseconds, ...seen });
    }
  }
  if (failures.length > 0) throw failures[0];
}

interface Note {
  readonly test: string | undefined;
  readonly seed: number;
  readonly failure?: string;
}

function note(of: Note & { readonly milliseconds?: number }): void {
  if (report !== undefined) appendFileSync(report, `${JSON.stringify(of)}\n`);
}

function notes(): readonly Note[] {
  if (report === undefined || !existsSync(report)) return [];
  const lines = readFileSync(report, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line): Note => JSON.parse(line));
}
