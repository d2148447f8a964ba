import assert from "node:assert";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { rolldown } from "rolldown";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { hearFailures, reportFailure } from "../../../src/base/failures.js";
import { invariant } from "../../../src/base/invariant.js";
import { messageOf, unexpectedFailure } from "../../../src/base/text/message-of.js";
import { DatabaseError } from "../../../src/store/database/database.js";

const heard: string[] = [];
let stop: () => void;
beforeEach(() => {
  stop = hearFailures((stack) => heard.push(stack));
});
afterEach(() => {
  stop();
  heard.length = 0;
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const nothing = undefined as unknown as { split(by: string): string };

it.each<[string, unknown]>([
  ["a property of nothing", thrownBy(() => nothing.split("."))],
  ["a TypeError with a message of its own", new TypeError("the sink is away")],
  [
    "an endless recursion",
    thrownBy(() =>
      (function more(): number {
        return 1 + more();
      })(),
    ),
  ],
  ["a name that is not there", thrownBy(() => new Function("return absent")())],
  ["text that is no JSON", thrownBy(() => JSON.parse("{"))],
  ["an assertion of Node.js", thrownBy(() => assert.equal(1, 2))],
  ["an assertion of ours", thrownBy(() => invariant(false, "a phase before has checked it"))],
  ["an address that is none", thrownBy(() => new URL("x"))],
  ["a message that cannot be copied", thrownBy(() => structuredClone(() => 1))],
  ["a text", "away"],
  ["nothing", null],
  ["an object without a prototype", Object.create(null)],
])("messageOf hides the message of %s from users, and logs its stack", (_, error) => {
  expect(messageOf(error)).toBe(unexpectedFailure);
  expect(heard).toHaveLength(1);
  if (error instanceof Error) expect(heard[0]).toContain(error.stack);
});

it("messageOf shows users the messages of errors that are meant for them", () => {
  const cause = new TypeError("inner");
  expect(messageOf(new DatabaseError("the database is closed", { cause }))).toBe("the database is closed");
  expect(messageOf(new Error("it was stopped"))).toBe("it was stopped");
  expect(heard).toEqual([]);
});

it("the log contains an error once, with its causes", () => {
  const error = new TypeError("outer", { cause: new Error("inner") });
  messageOf(error);
  reportFailure(error);
  expect(heard).toEqual([expect.stringMatching(/outer[\s\S]*caused by: Error: inner/)]);
});

it("the log of a process contains the failures of its threads", async () => {
  const input = fileURLToPath(new URL("../../support/failing-thread.ts", import.meta.url));
  const bundled = await rolldown({ input, platform: "node", logLevel: "warn" });
  const { output } = await bundled.generate({ format: "esm" });
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(output[0].code)}`));
  await expect.poll(() => heard).toEqual([expect.stringContaining("TypeError: in a thread")]);
  await worker.terminate();
});

it("a failure that no log receives becomes a warning", async () => {
  stop();
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  reportFailure(new TypeError("unheard"));
  expect(warned).toHaveBeenCalledWith(expect.stringContaining("TypeError: unheard"), "UnexpectedFailure");
  warned.mockRestore();
});
