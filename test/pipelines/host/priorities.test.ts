import { expect, it } from "vitest";
import { Priorities, type ProcessMode } from "../../../src/pipelines/host/create-pipeline-engine.js";

/** Starts processes of a project. */
function started(priorities: Priorities, project: string, mode: ProcessMode, count: number) {
  return Array.from({ length: count }, () => {
    const process = {
      nice: 0,
      standBack: (nice: number): void => {
        process.nice = nice;
      },
      leave: (): void => undefined,
    };
    process.leave = priorities.join(project, mode, process);
    return process;
  });
}

/** The share of the processors that Linux gives a process on a busy machine, relative to that of one with 0. */
const shareOf = ({ nice }: { readonly nice: number }): number => 1.25 ** -nice;

it("on a busy machine, all pipelines of a project together get little more time than another project's only pipeline", () => {
  const priorities = new Priorities();
  const [one] = started(priorities, "one", "run", 1);
  for (const count of [1, 2, 5, 10, 20, 50]) {
    const many = started(priorities, "many", "run", count);
    const together = many.reduce((sum, process) => sum + shareOf(process), 0);
    expect(together / shareOf(one as { nice: number })).toBeLessThan(3);
    for (const process of many) process.leave();
  }
});

it("a pipeline gets a higher priority after others of its project have ended", () => {
  const priorities = new Priorities();
  const [stays, ...others] = started(priorities, "one", "run", 20);
  const before = stays?.nice;
  for (const process of others) process.leave();
  expect([before, stays?.nice]).toEqual([19, 6]);
});

it("tasks that a user waits for run before all pipelines, but after the server", () => {
  const priorities = new Priorities();
  const nice = (mode: ProcessMode): number | undefined => started(priorities, mode, mode, 1)[0]?.nice;
  for (const mode of ["check", "compare", "preview", "snapshot"] as const) expect(nice(mode)).toBe(3);
  expect([nice("run"), nice("task")]).toEqual([6, 10]);
});
