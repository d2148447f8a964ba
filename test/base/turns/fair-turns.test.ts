import { expect, it } from "vitest";
import { FairTurns, TooMuchWaitingError } from "../../../src/base/turns/fair-turns.js";

const limits = { atOnce: 2, atOnceOfOne: 1, waitingOfOne: 2, refusal: "Wait." };

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that ends on demand, and a record of what has begun. */
function desk() {
  const turns = new FairTurns(limits);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, signal?: AbortSignal): Promise<string> =>
    turns.run(
      name.charAt(0),
      async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      },
      signal,
    );
  const end = async (name: string): Promise<void> => {
    await settled();
    ends.get(name)?.();
    await settled();
  };
  return { turns, begun, ask, end };
}

it("One asker never has more than its places, although others are free.", async () => {
  const { begun, ask, end } = desk();
  const all = [ask("a1"), ask("a2"), ask("b1")];
  await settled();
  expect(begun).toEqual(["a1", "b1"]);
  await end("b1");
  expect(begun).toEqual(["a1", "b1"]);
  await end("a1");
  expect(begun).toEqual(["a1", "b1", "a2"]);
  await end("a2");
  expect(await Promise.all(all)).toEqual(["a1", "a2", "b1"]);
});

it("Askers that wait take turns.", async () => {
  const { begun, ask, end } = desk();
  const all = ["a1", "b1", "c1", "c2", "d1"].map((name) => ask(name));
  for (const name of ["a1", "c1", "b1", "d1", "c2"]) await end(name);
  expect(begun).toEqual(["a1", "b1", "c1", "d1", "c2"]);
  await Promise.all(all);
});

it("An asker with too much waiting is refused, and others are not.", async () => {
  const { ask, end } = desk();
  const all = ["a1", "a2", "a3"].map((name) => ask(name));
  const refused = ask("a4");
  await expect(refused).rejects.toThrow(TooMuchWaitingError);
  await expect(refused).rejects.toMatchObject({ message: "Wait.", retryAfter: 5 });
  const other = ask("b1");
  for (const name of ["b1", "a1", "a2", "a3"]) await end(name);
  expect(await Promise.all([...all, other])).toEqual(["a1", "a2", "a3", "b1"]);
});

it("Work leaves the queue without starting if its asker stops waiting.", async () => {
  const { turns, begun, ask, end } = desk();
  const gone = new AbortController();
  const [first, second, third] = [ask("a1"), ask("a2", gone.signal), ask("a3")];
  gone.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  expect(turns.waiting).toBe(1);
  await end("a1");
  await end("a3");
  expect([await first, await third, begun]).toEqual(["a1", "a3", ["a1", "a3"]]);
  await expect(ask("a5", gone.signal)).rejects.toThrow("gone");
});

it("Work that fails gives its place to the next.", async () => {
  const turns = new FairTurns(limits);
  const failed = turns.run("a", () => Promise.reject(new Error("broken")));
  const next = turns.run("a", async () => "done");
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe("done");
});

it("Without a limit, one asker may queue any amount of work.", async () => {
  const turns = new FairTurns({ atOnce: 1, atOnceOfOne: 1 });
  const all = Array.from({ length: 50 }, async (_, index) => turns.run("a", async () => index));
  expect(await Promise.all(all)).toHaveLength(50);
});
