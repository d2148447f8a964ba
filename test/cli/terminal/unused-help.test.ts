import { expect, it } from "vitest";
import yargs from "../../../src/cli/terminal/usage/yargs.js";

/** The internals of yargs of which `program.ts` replaces a part. */
interface Internals {
  getInternalMethods(): { getUsageInstance(): { cacheHelpMessage?: unknown } };
}

it("yargs still has the method that renders a help that is never shown", () => {
  const usage = (yargs([]) as unknown as Internals).getInternalMethods().getUsageInstance();
  expect(usage.cacheHelpMessage).toBeInstanceOf(Function);
});
