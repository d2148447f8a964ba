import { expect, it } from "vitest";
import { firstComeFirstServed, Semaphore } from "../../../src/base/turns/semaphore.js";

/** Tasks that are recorded when they start, and end on demand. */
function pieces() {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const work = (name: string) => (): Promise<string> => {
    begun.push(name);
    return new Promise((resolve, reject) =>
      ends.set(name, (error) => (error ? reject(error) : resolve(name))),
    );
  };
  return { begun, work, end: (name: string, error?: Error) => ends.get(name)?.(error) };
}

it("A semaphore runs as many tasks at once as its bound allows, and the others in order of arrival.", async () => {
  const semaphore = new Semaphore(2);
  const { begun, work, end } = pieces();
  const results = ["a", "b", "c", "d"].map((name) => semaphore.run(work(name)));
  expect(begun).toEqual(["a", "b"]);
  end("b");
  expect(await results[1]).toBe("b");
  expect(begun).toEqual(["a", "b", "c"]);
  end("c");
  expect(await results[2]).toBe("c");
  expect(begun).toEqual(["a", "b", "c", "d"]);
  end("a");
  end("d");
  await Promise.all(results);
  expect(semaphore.isIdle).toBe(true);
});

it("A task that fails gives its place to the next.", async () => {
  const mutex = new Semaphore(1);
  const { begun, work, end } = pieces();
  const first = mutex.run(work("a"));
  const second = mutex.run(work("b"));
  end("a", new Error("no"));
  await expect(first).rejects.toThrow("no");
  expect(begun).toEqual(["a", "b"]);
  end("b");
  expect(await second).toBe("b");
  await expect(
    mutex.run(() => {
      throw new Error("at once");
    }),
  ).rejects.toThrow("at once");
  expect(mutex.isIdle).toBe(true);
});

it("A full line refuses a task, which never starts.", async () => {
  const line = firstComeFirstServed(1, () => new Error("full"));
  const mutex = new Semaphore<void>(1, line);
  const { begun, work, end } = pieces();
  const running = mutex.run(work("a"));
  const waiting = mutex.run(work("b"));
  await expect(mutex.run(work("c"))).rejects.toThrow("full");
  end("a");
  await running;
  end("b");
  await waiting;
  expect(begun).toEqual(["a", "b"]);
  expect(mutex.isIdle).toBe(true);
});
