import { expect, it } from "vitest";
import { firstComeFirstServed, Semaphore } from "../../src/base/semaphore.js";

/** Work that is noted when it begins, and ends when it is told to. */
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

it("A semaphore runs as much at once as it is bound to, and the rest in the order in which it came.", async () => {
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

it("Work that fails gives its place to the next.", async () => {
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

it("A line that is full refuses work, which is never begun.", async () => {
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
