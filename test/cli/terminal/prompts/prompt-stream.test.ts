import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { promptStream } from "../../../../src/cli/terminal/prompts/prompt-stream.js";

const redirected = new PassThrough();
const terminal = Object.assign(new PassThrough(), { isTTY: true });
const none = (): never => {
  throw new Error("ENXIO");
};

it("questions go to a stream that the user sees", () => {
  expect(promptStream(terminal, none)).toBe(terminal);
  expect(promptStream(redirected, () => terminal)).toBe(terminal);
  expect(promptStream(redirected, none)).toBe(redirected);
});
