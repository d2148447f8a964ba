import { expect, it } from "vitest";
import { guarded, inBackground } from "../../../src/base/turns/guarded.js";

it("a guard passes on what a handler throws, and the reason if its promise rejects", async () => {
  const failures: unknown[] = [];
  const fail = (error: unknown): void => void failures.push(error);
  guarded((text: string) => {
    throw new Error(text);
  }, fail)("thrown");
  guarded(async () => {
    throw new Error("rejected");
  }, fail)();
  guarded(() => 5, fail)();
  await expect.poll(() => failures).toEqual([new Error("thrown"), new Error("rejected")]);
});

it("a guard passes on the failure of work in the background", async () => {
  const failures: unknown[] = [];
  const fail = (error: unknown): void => void failures.push(error);
  inBackground(Promise.reject("why"), fail);
  inBackground(Promise.resolve(5), fail);
  inBackground(undefined, fail);
  await expect.poll(() => failures).toEqual(["why"]);
});
