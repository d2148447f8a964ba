import { expect, it } from "vitest";
import { repeat } from "../../../src/base/text/repeat.js";

/** A clock whose waits end on demand. */
function steppedClock() {
  const waits: { milliseconds: number; end: () => void }[] = [];
  const timeout = (milliseconds: number): AbortSignal => {
    const timer = new AbortController();
    waits.push({ milliseconds, end: () => timer.abort() });
    return timer.signal;
  };
  return { waits, world: { timeout } };
}

it("Work repeats after a pause each time, until it is stopped during a pause.", async () => {
  const { waits, world } = steppedClock();
  const stop = new AbortController();
  let times = 0;
  const loop = repeat(50, world, stop.signal, () => void times++);
  expect(times).toBe(0);
  for (let pause = 0; pause < 3; pause++) {
    waits[pause]?.end();
    await expect.poll(() => waits.length).toBe(pause + 2);
  }
  expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([50, 50, 50, 50]);
  stop.abort();
  await loop;
  expect(times).toBe(3);
});

it("A stopped loop waits for the running work.", async () => {
  const { waits, world } = steppedClock();
  const stop = new AbortController();
  const events: string[] = [];
  let end = (): void => undefined;
  const loop = repeat(1, world, stop.signal, () => {
    events.push("begun");
    return new Promise((resolve) => {
      end = resolve;
    });
  }).then(() => void events.push("over"));
  waits[0]?.end();
  await expect.poll(() => events).toEqual(["begun"]);
  stop.abort();
  await Promise.resolve();
  events.push("ended");
  end();
  await loop;
  expect(events).toEqual(["begun", "ended", "over"]);
  expect(waits).toHaveLength(1);
});

it("A loop that reports its failures continues after one.", async () => {
  const { waits, world } = steppedClock();
  const stop = new AbortController();
  const failures: unknown[] = [];
  let times = 0;
  const work = (): void => {
    times += 1;
    if (times === 1) throw new TypeError("first");
  };
  const loop = repeat(1, world, stop.signal, work, (error) => failures.push(error));
  for (let pause = 0; pause < 2; pause++) {
    waits[pause]?.end();
    await expect.poll(() => waits.length).toBe(pause + 2);
  }
  stop.abort();
  await loop;
  expect({ times, failures }).toEqual({ times: 2, failures: [new TypeError("first")] });
});
