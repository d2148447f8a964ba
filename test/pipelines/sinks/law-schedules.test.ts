import { expect, it } from "vitest";
import { Schedule } from "../../support/pipelines/law/schedule.js";
import type { Thing } from "../../support/pipelines/played-feed.js";
import { finality } from "../../support/pipelines/played-source.js";

/** The schedules that each sink of the campaign goes through, with as many rounds. */
const schedules = Array.from({ length: 300 }, (_, index) => {
  const schedule = new Schedule(index + 1);
  for (let round = 0; round < 8; round += 1) schedule.play();
  return schedule;
});

/** Where the query of the law has a thing: the branch of the union, and the key that it computes. */
function placeOf([id, owner, amount]: Thing): { readonly branch: string; readonly key: string } | undefined {
  const key = `${owner}:${id}`;
  if (amount === null || Number(amount) < 400) return { branch: "few", key };
  return Number(amount) >= 600 ? { branch: "many", key } : undefined;
}

/** What a change of a thing is for the query. */
function kindOf(before: Thing, after: Thing): string {
  const [old, now] = [placeOf(before), placeOf(after)];
  if (!old || !now) return old ? "leaves the filter" : now ? "passes the filter" : "stays outside";
  if (old.key !== now.key) return "changes its key";
  return old.branch === now.branch ? "stays" : "moves between branches";
}

it("the test schedule replaces up to 64 blocks at once in every fourth schedule", () => {
  expect(schedules.filter(({ deepest }) => deepest === finality).length).toBeGreaterThanOrEqual(75);
  expect(Math.max(...schedules.map(({ deepest }) => deepest))).toBe(finality);
  expect(schedules.filter(({ deepest }) => deepest > 8).length).toBeGreaterThan(150);
  for (const { reorganisations } of schedules) expect(reorganisations).toBeGreaterThan(0);
});

it("the test schedule changes a key several times within a batch in every schedule", () => {
  for (const { feed } of schedules) expect(feed.repeating).toBeGreaterThan(0);
});

it("the test schedule changes things in every way that a filter, a computed key and a union know", () => {
  const kinds = new Map<string, number>();
  // What a thing was before the batch, and what it is after it, if it is still there.
  for (const { feed } of schedules)
    for (const [entry, { minus, plus }] of feed.entries.entries())
      for (const before of minus.filter(([, , , version]) => version < entry)) {
        const isGone = minus.some(([id, , , version]) => id === before[0] && Number(version) === entry);
        const after = isGone ? undefined : plus.findLast(([id]) => id === before[0]);
        const kind = after ? kindOf(before, after) : "is deleted";
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      }
  expect([...kinds.keys()].sort()).toEqual([
    "changes its key",
    "is deleted",
    "leaves the filter",
    "moves between branches",
    "passes the filter",
    "stays",
    "stays outside",
  ]);
  expect(Math.min(...kinds.values())).toBeGreaterThan(100);
});

it("the test schedule replaces 64 blocks at once in a schedule for sinks that read only final blocks", () => {
  const schedule = new Schedule(4, true);
  for (let round = 0; round < 2; round += 1) schedule.play();
  expect(schedule.deepest).toBe(finality);
  expect(schedule.chain.blocks.length).toBeGreaterThan(finality);
});
