import { expect, it } from "vitest";
import yargs from "../../../src/cli/terminal/yargs.js";

/** What yargs keeps to itself, as far as `program.ts` replaces a part of it. */
interface Internals {
  getInternalMethods(): { getUsageInstance(): { cacheHelpMessage?: unknown } };
}

it("yargs still has the method that lays out a help nobody sees", () => {
  const usage = (yargs([]) as unknown as Internals).getInternalMethods().getUsageInstance();
  expect(usage.cacheHelpMessage).toBeInstanceOf(Function);
});
