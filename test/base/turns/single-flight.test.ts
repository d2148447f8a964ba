import { expect, it } from "vitest";
import { SingleFlight } from "../../../src/base/turns/single-flight.js";

/** Work that ends on demand. */
function pieces() {
  const ends: { resolve: (text: string) => void; reject: (error: Error) => void }[] = [];
  return {
    ends,
    work: () => new Promise<string>((resolve, reject) => void ends.push({ resolve, reject })),
  };
}

it("Callers share work while it runs, and start it again afterwards.", async () => {
  const flights = new SingleFlight<string>();
  const { ends, work } = pieces();
  const shared = [flights.run(work, "a"), flights.run(work, "a"), flights.run(work, "b")];
  expect(ends).toHaveLength(2);
  ends[0]?.resolve("one");
  ends[1]?.resolve("two");
  expect(await Promise.all(shared)).toEqual(["one", "one", "two"]);
  expect(flights.get("a")).toBeUndefined();
  void flights.run(work, "a");
  expect(ends).toHaveLength(3);
});

it("A failure reaches all callers that share the work, and no others.", async () => {
  const flights = new SingleFlight<string>();
  const { ends, work } = pieces();
  const shared = [flights.run(work), flights.run(work)];
  ends[0]?.reject(new Error("no"));
  await Promise.all(shared.map((flight) => expect(flight).rejects.toThrow("no")));
  const next = flights.run(work);
  ends[1]?.resolve("yes");
  expect(await next).toBe("yes");
});

it("New work replaces the running work, which leaves it in place when it ends.", async () => {
  const flights = new SingleFlight<string>();
  const { ends, work } = pieces();
  const first = flights.run(work);
  const second = flights.begin(work());
  ends[0]?.resolve("old");
  expect(await first).toBe("old");
  expect(flights.get()).toBe(second);
  flights.clear();
  expect(flights.get()).toBeUndefined();
  ends[1]?.resolve("new");
  expect(await second).toBe("new");
});
