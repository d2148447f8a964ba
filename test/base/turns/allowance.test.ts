import { expect, it } from "vitest";
import { Allowance } from "../../../src/base/turns/allowance.js";
import { TooMuchWaitingError } from "../../../src/base/turns/fair-turns.js";

/** An allowance beside a clock that stands until it is told to go on. */
function allowed() {
  let now = 0;
  const timers: { readonly at: number; readonly timer: AbortController }[] = [];
  const allowance = new Allowance(
    { burst: 2, perSecond: 10, waitingOfOne: 2, refusal: "Wait." },
    {
      now: () => now,
      timeout: (milliseconds) => {
        const timer = new AbortController();
        timers.push({ at: now + milliseconds, timer });
        return timer.signal;
      },
    },
  );
  const begun: string[] = [];
  const take = (name: string, signal = new AbortController().signal): Promise<void> =>
    allowance.take(name.charAt(0), signal).then(() => void begun.push(name));
  const goOn = async (milliseconds: number): Promise<void> => {
    now += milliseconds;
    for (const { at, timer } of timers) if (at <= now) timer.abort();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, take, goOn };
}

it("a burst starts at once, and later work follows at the allowed rate", async () => {
  const { begun, take, goOn } = allowed();
  const all = ["a1", "a2", "a3", "a4"].map((name) => take(name));
  await goOn(0);
  expect(begun).toEqual(["a1", "a2"]);
  await goOn(100);
  expect(begun).toEqual(["a1", "a2", "a3"]);
  await goOn(100);
  await Promise.all(all);
  await goOn(150);
  const later = [take("a5"), take("a6")];
  await goOn(0);
  expect(begun.slice(4)).toEqual(["a5"]);
  await goOn(50);
  await Promise.all(later);
});

it("one asker does not slow another down", async () => {
  const { begun, take, goOn } = allowed();
  const all = ["a1", "a2", "a3", "b1"].map((name) => take(name));
  await goOn(0);
  expect(begun).toEqual(["a1", "a2", "b1"]);
  await goOn(100);
  await Promise.all(all);
});

it("an allowance refuses work beyond the queue's limit, and does not count it", async () => {
  const { begun, take, goOn } = allowed();
  const all = ["a1", "a2", "a3", "a4"].map((name) => take(name));
  for (let tries = 0; tries < 5; tries++) await expect(take("a5")).rejects.toThrow(TooMuchWaitingError);
  await goOn(200);
  await Promise.all(all);
  const later = take("a6");
  await goOn(100);
  await later;
  expect(begun).toEqual(["a1", "a2", "a3", "a4", "a6"]);
});

it("an asker that leaves never starts", async () => {
  const { begun, take } = allowed();
  await Promise.all([take("a1"), take("a2")]);
  const gone = new AbortController();
  const left = take("a3", gone.signal);
  gone.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  expect(begun).toEqual(["a1", "a2"]);
});
