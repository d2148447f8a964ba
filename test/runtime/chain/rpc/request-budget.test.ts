import { expect, it } from "vitest";
import { RequestBudget, type RequestLimits } from "../../../../src/runtime/chain/rpc/request-budget.js";

/** A budget whose clock stands still, and the waits that it asks for. */
function stillBudget(limits: RequestLimits): { readonly budget: RequestBudget; readonly waits: number[] } {
  const waits: number[] = [];
  const world = {
    now: () => 0,
    sleep: async (milliseconds: number) => {
      waits.push(milliseconds);
    },
  };
  return { budget: new RequestBudget(limits, world), waits };
}

it("the budget spaces out simultaneous requests, and batches by their size", async () => {
  const { budget, waits } = stillBudget({ requestsPerSecond: 50 });
  expect(await Promise.all([9, 1, 2, 100, 1].map((wanted) => budget.take(wanted)))).toEqual([5, 1, 2, 5, 1]);
  expect(waits).toEqual([100, 120, 160, 260]);
});

it("the budget grants single requests at a low rate", async () => {
  const { budget, waits } = stillBudget({ requestsPerSecond: 0.5 });
  expect([await budget.take(100), await budget.take(1)]).toEqual([1, 1]);
  expect(waits).toEqual([2_000]);
});

it("the budget grants nothing early", async () => {
  let wake: () => void = () => undefined;
  const sleep = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const budget = new RequestBudget({ requestsPerSecond: 1 }, { now: () => 0, sleep });
  await budget.take(1);
  let isGiven = false;
  const given = budget.take(1).then(() => {
    isGiven = true;
  });
  await new Promise(setImmediate);
  expect(isGiven).toBe(false);
  wake();
  await given;
});

it("the budget grants every request without limits", async () => {
  const { budget, waits } = stillBudget({});
  expect([await budget.take(1_000), await budget.take(1)]).toEqual([1_000, 1]);
  expect(waits).toEqual([]);
});
