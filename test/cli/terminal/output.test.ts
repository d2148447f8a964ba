import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { type OutputLoss, printTo } from "../../../src/cli/terminal/output.js";

function failing(code: string): Error {
  return Object.assign(new Error(`${code}: write \u001b[2J`), { code });
}

/** A stream that records what is written. */
class Stream extends EventEmitter {
  readonly written: string[] = [];
  write(text: string): void {
    this.written.push(text);
  }
}

it("a lost output is reported once, and later output is dropped", () => {
  const stream = new Stream();
  const losses: OutputLoss[] = [];
  const print = printTo(stream, (loss) => losses.push(loss));
  print("a");
  stream.emit("error", failing("EPIPE"));
  stream.emit("error", failing("ERR_STREAM_DESTROYED"));
  print("b");
  expect(stream.written).toEqual(["a"]);
  expect(losses).toEqual([{ text: "", code: 141 }]);
});

it.each([
  ["ENOSPC", "The output cannot be written: no space is left on the device (ENOSPC).\n"],
  ["EBADF", "The output cannot be written: Error: EBADF: write \\u001b[2J.\n"],
])("an output that refuses a write is reported: %s", (code, text) => {
  const losses: OutputLoss[] = [];
  const stream = new Stream();
  stream.write = () => {
    throw failing(code);
  };
  printTo(stream, (loss) => losses.push(loss))("a");
  expect(losses).toEqual([{ text, code: 1 }]);
});
