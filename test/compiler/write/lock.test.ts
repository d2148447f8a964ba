import { existsSync, readFileSync, utimesSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lock } from "../../../src/compiler/write/lock.js";
import { writeProject } from "../../../src/compiler/write/write-project.js";
import { plant, testFolder } from "../../support/folder.js";
import { everything, files, tree } from "./harness.js";

const FILES = { a: "1" };
const gently = { force: false };
const minute = 60_000;
const parent = { pid: process.ppid, host: hostname() };
const ago = (minutes: number) => Date.now() - minutes * minute;

/** A target with a lock, which was written some minutes ago. */
function locked(content: string, minutes = 0): string {
  const target = testFolder({ ".graphloom/lock": content });
  utimesSync(join(target, ".graphloom/lock"), ago(minutes) / 1000, ago(minutes) / 1000);
  return target;
}

describe("a stale lock", () => {
  test.each([
    ["of a dead process", { pid: 999_999_999, host: hostname(), since: Date.now() }],
    ["of a process with the same number in a different container", process.pid],
    ["of a dead process, with its number alone", 999_999_999],
    ["of the first process of a container, left by an earlier one", 1, 11],
    ["of a group of processes", -1],
    ["of all processes of the group", 0],
    ["of a process number that is not an integer", 1.5],
    ["of a process whose number was reused", { ...parent, started: "another boot 1", since: ago(0) }],
    ["on a different machine, that is old", { pid: process.ppid, host: "elsewhere", since: ago(11) }],
    ["from the future", { ...parent, since: Date.now() + 11 * minute }],
    ["with garbage", "garbage"],
    ["with no content", null],
  ])("is taken over: %s", async (_, content, minutes = 0) => {
    const target = locked(JSON.stringify(content), minutes);
    expect(await writeProject(target, files(FILES), gently)).toMatchObject({ kind: "written" });
    expect(Object.keys(everything(target))).toEqual([".graphloom/files.json", "a"]);
  });

  test("is taken over when it was never filled in", async () => {
    const target = locked("");
    expect(await writeProject(target, files(FILES), gently)).toMatchObject({ kind: "written" });
  });
});

describe("a lock that may be held", () => {
  test.each([
    ["of a living process, with its number alone", process.ppid, "", "10 minutes"],
    [
      "of a living process with an unknown start",
      { ...parent, since: ago(9) },
      ` on "${hostname()}"`,
      "1 minute",
    ],
    [
      "on a different machine",
      { pid: process.ppid, host: "elsewhere", started: "x", since: ago(6.5) },
      ' on "elsewhere"',
      "4 minutes",
    ],
  ])("is respected and named: %s", async (_, content, host, left) => {
    const target = locked(JSON.stringify(content));
    const before = tree(target);
    expect(await writeProject(target, files(FILES), gently)).toEqual({
      kind: "failed",
      path: target,
      reason:
        `process ${process.ppid}${host} has locked it, and graphloom cannot tell from here whether it is still running; ` +
        `if nothing is writing to it, remove "${target}/.graphloom/lock", or try again in ${left}`,
    });
    expect(tree(target)).toEqual(before);
  });
});

describe.runIf(existsSync("/proc/self/stat"))("a lock of this process", () => {
  test("names its process, is respected without limit, and is removed afterwards", async () => {
    const folder = testFolder();
    const first = await lock(folder);
    const holder = JSON.parse(readFileSync(join(folder, "lock"), "utf8"));
    expect(holder).toEqual({
      pid: process.pid,
      host: hostname(),
      started: expect.stringMatching(/^[0-9a-f-]{36} \d+$/),
      since: expect.any(Number),
    });
    plant(folder, { lock: JSON.stringify({ ...holder, since: 0 }) });
    expect(await lock(folder)).toMatchObject({ kind: "taken", holder: { pid: process.pid } });
    if (first.kind === "reserved") first.release();
    expect(everything(folder)).toEqual({});
  });
});
