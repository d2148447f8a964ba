import { describe, expect, test } from "vitest";
import { WorkBudget } from "../../../src/platform/endpoints/work-budget.js";

/** A budget of a quarter of the time, with bursts of 2.5 seconds. */
function budgetAt(now: number) {
  const clock = { now };
  return { clock, budget: new WorkBudget(0.25, () => clock.now) };
}

describe("the work budget of a client", () => {
  test("allows a burst and is refilled as time passes", () => {
    const { clock, budget } = budgetAt(1_000_000);
    const client = budget.of("a");
    client.spend(2_499);
    expect(client.wait()).toBe(0);
    client.spend(1);
    expect(client.wait()).toBe(1);
    client.spend(1_000);
    expect(client.wait()).toBe(4_000);
    clock.now += 3_999;
    expect(client.wait()).toBe(1);
    clock.now += 2;
    expect(client.wait()).toBe(0);
    clock.now += 60_000;
    client.spend(2_499);
    expect(client.wait()).toBe(0);
  });

  test("never exceeds its share of the time, even if the client sends queries without a pause", () => {
    const { clock, budget } = budgetAt(0);
    const client = budget.of("a");
    let worked = 0;
    while (clock.now < 600_000) {
      if (client.wait() === 0) {
        client.spend(400);
        worked += 400;
        clock.now += 400;
      } else clock.now += client.wait();
    }
    expect(worked).toBeGreaterThan(0.25 * 600_000);
    expect(worked).toBeLessThan(0.25 * 600_000 + 2_500 + 400);
  });

  test("is charged only to that client", () => {
    const { budget } = budgetAt(0);
    budget.of("a").spend(100_000);
    expect(budget.of("a").wait()).toBeGreaterThan(0);
    expect(budget.of("b").wait()).toBe(0);
  });

  test("gains nothing when the clock is set back", () => {
    const { clock, budget } = budgetAt(100_000);
    budget.of("a").spend(3_500);
    clock.now -= 50_000;
    expect(budget.of("a").wait()).toBe(4_000);
  });

  test("is forgotten once it is full, and beyond 50,000 clients the oldest are forgotten", () => {
    const { clock, budget } = budgetAt(0);
    for (let client = 0; client < 60_000; client++) budget.of(`client ${client}`).spend(5_000);
    expect(budget.size).toBe(50_000);
    expect(budget.of("client 9999").wait()).toBe(0);
    expect(budget.of("client 10000").wait()).toBeGreaterThan(0);
    clock.now += 20_000;
    budget.of("another").spend(1);
    expect(budget.size).toBe(1);
  });
});
