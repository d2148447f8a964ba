import { beforeAll, describe, expect, test } from "vitest";
import type { DifferingCase } from "../../../scripts/make-differences.mjs";
import { describeDatabase } from "../../support/database/databases.js";
import { deviations } from "./deviations.js";
import { type Difference, differencesOf, showDifferences } from "./differences.js";
import { notYet } from "./not-yet.js";
import { type Played, playCases } from "./play.js";
import { recordedCases } from "./recorded.js";

/** Milliseconds for all cases of a file. On an idle machine they need a few seconds. */
const patience = 600_000;

/**
 * Describes tests that recorded cases behave as on graph-node.
 * @param prefixes prefixes of the cases' names; the environment variable `FIDELITY` can require a further prefix
 */
export function describeCases(title: string, prefixes: readonly string[]): void {
  const wanted = process.env.FIDELITY ?? "";
  const own = recordedCases.filter(
    ({ name }) => prefixes.some((prefix) => name.startsWith(prefix)) && name.startsWith(wanted),
  );
  // A deployment has tables of its own, which PostgreSQL makes several times as fast as PGlite.
  const describePlayed = () =>
    describeDatabase("the platform", false, (databases) => {
      let played: ReadonlyMap<string, Played>;
      beforeAll(async () => {
        played = await playCases(own, databases);
      }, patience);

      test.for(own)("$name behaves as on graph-node", (one) => {
        const result = played.get(one.name);
        if (!result) throw new Error(`${one.name} was not played`);
        const allowed = deviations.filter(({ name }) => name === one.name);
        const differences = differencesOf(one, result);
        const others = differences.filter(
          (difference) => !allowed.some((deviation) => isAt(difference, deviation)),
        );
        if (wanted === "" && notYet.includes(one.name)) {
          expect(others, `${one.name} is equal now: take it from not-yet.ts`).not.toEqual([]);
          return;
        }
        expect(showDifferences(others)).toBe("");
        for (const deviation of allowed) {
          const { where = "" } = deviation;
          const covered = differences.filter((difference) => isAt(difference, deviation));
          expect(
            covered,
            `nothing of ${one.name} differs at "${where}": take it from deviations.ts`,
          ).not.toEqual([]);
        }
      });
    });
  describe.skipIf(own.length === 0)(title, describePlayed);
}

function isAt({ where }: Difference, { where: allowed = "" }: DifferingCase): boolean {
  return typeof allowed === "string" ? where.includes(allowed) : allowed.test(where);
}
