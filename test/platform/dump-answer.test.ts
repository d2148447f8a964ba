import { describe, expect, it } from "vitest";
import { DumpAnswer } from "../../src/platform/dumps/dump-answer.js";
import { untilHolds } from "../support/until.js";

const frame = new Uint8Array(1024 * 1024);

/** Time that passes when the test says so. */
function clock() {
  const waiting: { readonly milliseconds: number; readonly end: AbortController }[] = [];
  return {
    timeout: (milliseconds: number) => {
      const end = new AbortController();
      waiting.push({ milliseconds, end });
      return end.signal;
    },
    pass: (milliseconds: number) => {
      for (const one of waiting.splice(0))
        if (one.milliseconds <= milliseconds) one.end.abort();
        else waiting.push(one);
    },
  };
}

describe("the answer with a dump", () => {
  it("waits for a client that reads, and is whole once all was read", async () => {
    const answer = new DumpAnswer(clock(), 1_000);
    const read: Buffer[] = [];
    for (let sent = 0; sent < 4; sent += 1) answer.push(frame);
    const room = answer.room();
    const reading = (async () => {
      for await (const piece of answer.body) read.push(piece);
    })();
    await room;
    await answer.drained();
    answer.push(new Uint8Array(3));
    answer.end();
    await reading;
    expect(Buffer.concat(read).length).toBe(4 * frame.length + 3);
    expect(answer.signal.aborted).toBe(true);
  });

  it("is cut if the client stops reading", async () => {
    const time = clock();
    const answer = new DumpAnswer(time, 1_000);
    for (let sent = 0; sent < 4; sent += 1) answer.push(frame);
    const room = answer.room();
    time.pass(999);
    expect(answer.signal.aborted).toBe(false);
    time.pass(1_000);
    await expect(room).rejects.toThrow(/abort/);
    expect(answer.body.destroyed).toBe(true);
  });

  it("tells a client that waits that the server is at work", async () => {
    const time = clock();
    const answer = new DumpAnswer(time, 60_000);
    time.pass(10_000);
    const read: Buffer[] = [];
    answer.body.on("data", (piece) => read.push(piece));
    await untilHolds(() => expect(Buffer.concat(read).toString()).toContain('{"kind":"tick"}'));
    answer.cut(new Error("over"));
  });
});
