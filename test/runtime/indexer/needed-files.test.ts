import { expect, test } from "vitest";
import { Fault, RetriedError } from "../../../src/runtime/errors.js";
import { BlockFiles } from "../../../src/runtime/indexer/block-files.js";

test("a file that a handler needs and nobody has is a failure that is tried again, and one it may do without is none", async () => {
  const files = new BlockFiles({ read: async () => undefined });
  const fault = ((): unknown => {
    try {
      return files.readNeeded("Qm");
    } catch (error) {
      return error;
    }
  })();
  if (!(fault instanceof Fault)) throw new Error("it was not asked for");
  await fault.fetch();
  expect(files.read("Qm")).toBeUndefined();
  expect(() => files.readNeeded("Qm")).toThrow(RetriedError);
});
