import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hearFailures } from "../../../src/base/failures.js";
import {
  answerCalls,
  type PortCall,
  PortCaller,
  type PortReply,
} from "../../../src/base/turns/port-calls.js";

interface Calls {
  double(number: number): Promise<number>;
  later(name: string): Promise<string>;
  fail(message: string): Promise<void>;
}

interface Failure {
  readonly message: string;
  readonly name: keyof Calls;
}

class Foreign extends Error {}

let channel: MessageChannel;
let caller: PortCaller<Calls, Failure>;
let release: Map<string, () => void>;

beforeEach(() => {
  channel = new MessageChannel();
  release = new Map();
  const { port1, port2 } = channel;
  const calls: Calls = {
    double: async (number) => 2 * number,
    later: (name) => new Promise((resolve) => release.set(name, () => resolve(name))),
    fail: async (message) => {
      throw new Foreign(message);
    },
  };
  const failureOf = (error: unknown, name: keyof Calls): Failure => ({ message: String(error), name });
  port2.on(
    "message",
    answerCalls(calls, (reply: PortReply<Failure>) => port2.postMessage(reply), failureOf),
  );
  caller = new PortCaller<Calls, Failure>(
    (call: PortCall<Calls>) => port1.postMessage(call),
    ({ message, name }) => new TypeError(`${name}: ${message}`),
  );
  port1.on("message", (reply: PortReply<Failure>) => caller.settle(reply));
});
afterEach(() => channel.port1.close());

describe("calls over a port", () => {
  it("return the result of the other end's function", async () => {
    expect(await caller.call("double", 21)).toBe(42);
    expect(caller.isIdle).toBe(true);
  });

  it("match replies that arrive in a different order", async () => {
    const slow = caller.call("later", "slow");
    const quick = caller.call("later", "quick");
    expect(caller.isIdle).toBe(false);
    // Replies to calls that are answered at once arrive in the order of the calls, so both have arrived by then.
    await caller.call("double", 1);
    release.get("quick")?.();
    expect(await quick).toBe("quick");
    release.get("slow")?.();
    expect(await slow).toBe("slow");
  });

  it("reject with the error made from a failure", async () => {
    const failed = caller.call("fail", "no room");
    await expect(failed).rejects.toThrow(TypeError);
    await expect(failed).rejects.toThrow("fail: Error: no room");
  });

  it("reject once the port has ended, both waiting and later ones", async () => {
    const open = caller.call("later", "never");
    caller.end(new Error("closed"));
    await expect(open).rejects.toThrow("closed");
    await expect(caller.call("double", 1)).rejects.toThrow("closed");
    expect(caller.isIdle).toBe(true);
  });

  it("ignore a reply that arrives after the end", async () => {
    const open = caller.call("later", "late");
    await caller.call("double", 1);
    const rejected = expect(open).rejects.toThrow("closed");
    caller.end(new Error("closed"));
    const message = once(channel.port1, "message");
    release.get("late")?.();
    await message;
    await rejected;
  });
});

it("an answer that cannot be sent and a malformed call do not reject any call", async () => {
  const heard: string[] = [];
  const stop = hearFailures((stack) => heard.push(stack));
  const gone = (): never => {
    throw new Error("the port is gone");
  };
  const answer = answerCalls({ one: async () => 1 }, gone, String);
  await answer({ id: 1, name: "one", args: [] });
  await answer(null as unknown as PortCall<{ one(): Promise<number> }>);
  stop();
  expect(heard).toEqual([expect.stringContaining("the port is gone"), expect.stringContaining("TypeError")]);
});
