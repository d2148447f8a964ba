import { expect, it } from "vitest";
import { tooManyFiles } from "../../../src/cli/terminal/too-many-files.js";

const coded = (code: string, cause?: Error): Error =>
  Object.assign(new Error("it failed", cause && { cause }), { code });

it.each([
  ["EMFILE", coded("EMFILE"), "does not let this process open more files (EMFILE)"],
  ["ENFILE", coded("ENFILE"), "does not let this machine open more files (ENFILE)"],
  ["EMFILE as a nested cause", coded("ERR", new Error("b", { cause: coded("EMFILE") })), "ulimit -n 4096"],
])("says what to do about %s", (_, error, text) => expect(tooManyFiles(error)).toContain(text));

it("returns nothing for other failures", () => {
  const circle = coded("EACCES");
  circle.cause = circle;
  expect([circle, "EMFILE", undefined].map(tooManyFiles)).toEqual([undefined, undefined, undefined]);
});
