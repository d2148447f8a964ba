import { expect, it } from "vitest";
import { SingleFlight } from "../../src/base/single-flight.js";

/** Work whose pieces end when they are told to. */
function pieces() {
  const ends: { resolve: (text: string) => void; reject: (error: Error) => void }[] = [];
  return {
    ends,
    work: () => new Promise<string>((resolve, reject) => void ends.push({ resolve, reject })),
  };
}

it("Those who ask for the same while it is under way share it, and it begins anew afterwards.", async () => {
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

it("A failure is told to all who share it, and to nobody else.", async () => {
  const flights = new SingleFlight<string>();
  const { ends, work } = pieces();
  const shared = [flights.run(work), flights.run(work)];
  ends[0]?.reject(new Error("no"));
  await Promise.all(shared.map((flight) => expect(flight).rejects.toThrow("no")));
  const next = flights.run(work);
  ends[1]?.resolve("yes");
  expect(await next).toBe("yes");
});

it("What is begun again takes the place of what is under way, which leaves it there when it ends.", async () => {
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
