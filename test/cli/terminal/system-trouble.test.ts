import { expect, it } from "vitest";
import { systemTrouble } from "../../../src/cli/terminal/system-trouble.js";

const coded = (code: string, cause?: Error): Error =>
  Object.assign(new Error("it failed", cause && { cause }), { code });

it.each([
  ["EMFILE", coded("EMFILE"), "does not let this process open more files (EMFILE)"],
  ["ENFILE", coded("ENFILE"), "does not let this machine open more files (ENFILE)"],
  ["EMFILE as a nested cause", coded("ERR", new Error("b", { cause: coded("EMFILE") })), "ulimit -n 4096"],
])("the message says what to do about %s", (_, error, text) => expect(systemTrouble(error)).toContain(text));

it.each([
  [
    "ENOSPC",
    "/data/a.parquet cannot be used: the disk is full (ENOSPC). Free some space, then run the same command again.",
  ],
  ["EROFS", "/data/a.parquet cannot be used: the file system is read-only (EROFS)."],
  [
    "EACCES",
    "/data/a.parquet cannot be used: permission denied (EACCES). Choose another place, or correct this one.",
  ],
  ["EIO", "the disk reports an error (EIO)"],
])("the message explains in a sentence that a file cannot be used: %s", (code, text) => {
  expect(systemTrouble(Object.assign(coded(code), { path: "/data/a.parquet", syscall: "write" }))).toContain(
    text,
  );
});

it("the message knows the wording of libraries that write files themselves", () => {
  const words = new Error('IO Error: Could not write file "/t/x.tmp": No space left on device');
  expect(systemTrouble(words)).toContain("A file cannot be used: the disk is full (ENOSPC).");
});

it("the message does not take a refused connection for a problem with a disk", () => {
  expect(systemTrouble(Object.assign(coded("EACCES"), { syscall: "connect" }))).toBeUndefined();
});

it("the message is undefined for other failures", () => {
  const circle = coded("ECONNRESET");
  circle.cause = circle;
  expect([circle, "EMFILE", undefined].map(systemTrouble)).toEqual([undefined, undefined, undefined]);
});
