import { expect, it } from "vitest";
import { wait } from "../../../src/base/turns/wait.js";

const world = { timeout: (milliseconds: number) => AbortSignal.timeout(milliseconds) };

it("a wait can last a fraction of a millisecond, as backoffs require", async () => {
  await expect(wait(1.5, world, new AbortController().signal)).resolves.toBeUndefined();
});

it("a wait ends at once when the signal is aborted", async () => {
  const stop = new AbortController();
  const waiting = wait(60_000, world, stop.signal);
  stop.abort();
  await expect(waiting).resolves.toBeUndefined();
});
