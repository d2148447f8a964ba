import { expect, test } from "vitest";
import { Fault, RetriedError } from "../../../src/runtime/errors.js";
import { BlockFiles } from "../../../src/runtime/indexer/files/block-files.js";

test("a missing file is a retried failure only when the handler needs it", async () => {
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
