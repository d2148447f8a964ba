import { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import type { Port } from "../../../src/base/turns/port.js";
import { Channels } from "../../../src/machine/processes/channels.js";
import { untilHolds } from "../../support/until.js";

/** One end of a connection, which takes no more from the other end than somebody reads. */
class End extends Duplex {
  other: End | undefined;
  #go: (() => void) | undefined;

  override _read(): void {
    const go = this.#go;
    this.#go = undefined;
    go?.();
  }

  override _write(bytes: Buffer, _: string, done: () => void): void {
    if (this.other?.push(bytes)) done();
    else if (this.other) this.other.#go = done;
  }
}

const ignore = (): void => undefined;

function connected(): { readonly parent: End; readonly child: End } {
  const [parent, child] = [new End(), new End()];
  parent.other = child;
  child.other = parent;
  return { parent, child };
}

function opened(): { readonly ours: Channels; readonly theirs: Channels; readonly parent: End; child: End } {
  const { parent, child } = connected();
  return {
    ours: new Channels(parent, "parent", ignore),
    theirs: new Channels(child, "child", ignore),
    parent,
    child,
  };
}

function heard(port: Port): unknown[] {
  const messages: unknown[] = [];
  port.on("message", (message) => messages.push(message));
  return messages;
}

it("channels carry the same messages as threads do, on separate channels", async () => {
  const { ours, theirs } = opened();
  const [first, second] = [heard(ours.open(1)), heard(ours.open(2))];
  const messages = [
    { id: 1, result: undefined },
    { bytes: Uint8Array.of(1, 2), big: 2n ** 200n, when: new Date(5) },
    new Map([["a", new Set([1])]]),
    "",
  ];
  for (const message of messages) theirs.open(1).postMessage(message);
  theirs.open(2).postMessage("x".repeat(3_000_000));
  await untilHolds(() => expect(second).toEqual(["x".repeat(3_000_000)]));
  expect(first).toEqual(messages);
});

it("channels keep messages until a listener is added", async () => {
  const { ours, theirs } = opened();
  ours.open(1).postMessage("early");
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  expect(heard(theirs.open(1))).toEqual(["early"]);
});

it("channels read messages that arrive in pieces of any size", async () => {
  const { parent, child } = connected();
  const received: Buffer[] = [];
  child.on("data", (piece: Buffer) => received.push(piece));
  const sent = ["one", { two: 2 }, new Uint8Array(100)];
  const ours = new Channels(parent, "parent", ignore);
  for (const message of sent) ours.open(3).postMessage(message);
  await setImmediate();
  const again = connected();
  const messages = heard(new Channels(again.child, "child", ignore).open(3));
  for (const byte of Buffer.concat(received)) again.parent.write(Buffer.of(byte));
  await untilHolds(() => expect(messages).toEqual(sent));
});

it("channels report that they are closed, by either end or with the connection", async () => {
  const { ours, theirs, parent } = opened();
  const closed: string[] = [];
  ours.open(1).on("close", () => closed.push("first"));
  ours.open(2).on("close", () => closed.push("second"));
  theirs.open(1).close();
  await untilHolds(() => expect(closed).toEqual(["first"]));
  parent.destroy();
  await untilHolds(() => expect(closed).toEqual(["first", "second"]));
});

it.each([
  ["bytes that are no message", Buffer.from([3, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3])],
  ["a message on a channel that it has not opened", Buffer.from([2, 0, 0, 0, 9, 0, 0, 0, 0xff, 0x0f])],
  ["a message that is too long", Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0])],
])("channels close the connection of a parent that receives %s", async (_, bytes) => {
  const { parent, child } = connected();
  const [closed, fail] = [vi.fn(), vi.fn()];
  new Channels(parent, "parent", fail).open(1).on("close", closed);
  child.write(bytes);
  await untilHolds(() => expect(closed).toHaveBeenCalledOnce());
  expect(fail).toHaveBeenCalledOnce();
});

it("the parent reads nothing while its child does not read", async () => {
  const { ours, theirs, child } = opened();
  child.pause();
  const asked = ours.open(1);
  let answers = 0;
  asked.on("message", () => {
    answers += 1;
    asked.postMessage(new Uint8Array(100_000));
  });
  for (let count = 0; count < 1_000; count += 1) theirs.open(1).postMessage("more".repeat(1_000));
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  expect(answers).toBeGreaterThan(0);
  expect(answers).toBeLessThan(100);
  const taken = heard(theirs.open(1));
  child.resume();
  await untilHolds(() => expect(taken).toHaveLength(1_000));
});

it.each([
  "parent",
  "child",
] as const)("channels report a %s that a listener of messages throws", async (side) => {
  const { parent, child } = connected();
  const failures: unknown[] = [];
  const fail = (error: unknown): void => void failures.push(error);
  const ours = new Channels(parent, "parent", fail);
  const theirs = new Channels(child, "child", fail);
  const [hearer, teller] = side === "parent" ? [ours, theirs] : [theirs, ours];
  hearer.open(1).on("message", (message: { readonly rows: readonly string[] }) => message.rows.join());
  teller.open(1).postMessage({});
  await expect.poll(() => failures).toEqual([expect.any(TypeError)]);
});
