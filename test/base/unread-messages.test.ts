import { MessageChannel } from "node:worker_threads";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hearFailures } from "../../src/base/failures.js";
import { messageOf, unexpectedFailure } from "../../src/base/text/message-of.js";
import { answerCalls, type PortCall, PortCaller, type PortReply } from "../../src/base/turns/port-calls.js";
import { sinkStatus } from "../../src/pipelines/host/figures.js";
import { kafkaErrorOf } from "../../src/pipelines/machine/kafka/kafka-errors.js";
import { problemOf } from "../../src/platform/http/app.js";
import { problemDocument } from "../../src/platform/problem.js";
import { databaseErrorOf } from "../../src/store/database/postgres/postgres-errors.js";
import { networkFailure } from "../../src/web/http/network-failure.js";

/* Whatever JavaScript says of a mistake in the program, no answer has its words. */

const heard: string[] = [];
let stop: () => void;
beforeAll(() => {
  stop = hearFailures((stack) => heard.push(stack));
});
afterAll(() => stop());

const kinds = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError];
const mistake = fc
  .record({ kind: fc.constantFrom(...kinds), words: fc.stringMatching(/^[a-z ]{8,60}[.!?]?$/) })
  .map(({ kind, words }) => new kind(`<${words}>`));

/** What people get of an error, by where it arrives. */
const edges: Readonly<Record<string, (error: Error) => unknown>> = {
  "the state of a sink": (error) => sinkStatus({ kind: "halted", error }, undefined),
  "a problem of the API": (error) => problemDocument(problemOf(error), "/", "http://localhost"),
  "an error of the database": (error) => databaseErrorOf(error).message,
  "errors of several addresses": (error) => databaseErrorOf(new AggregateError([error, error], "")).message,
  "an error of Kafka": (error) => kafkaErrorOf(error).message,
  "a failure of the network": (error) => networkFailure(error, (text) => text),
  "a failure behind one of fetch": (error) =>
    networkFailure(new TypeError("fetch failed", { cause: error }), (text) => text),
};

it.each(
  Object.entries(edges),
)("%s does not repeat a bug's message to users, and the log contains it", (name, edge) => {
  fc.assert(
    fc.property(mistake, (error) => {
      const before = heard.length;
      expect(JSON.stringify(edge(error))).not.toContain(error.message);
      // The server logs failures of requests with the request.
      if (name !== "a problem of the API") expect(heard.length).toBe(before + 1);
    }),
    { numRuns: 50 },
  );
});

it("a failure that one thread reports to another does not repeat a bug's message to users", async () => {
  interface Calls {
    read(): Promise<string>;
  }
  const { port1, port2 } = new MessageChannel();
  const error = new TypeError("rows.map is not a function");
  const calls: Calls = { read: () => Promise.reject(error) };
  port1.on(
    "message",
    answerCalls<Calls, string>(calls, (reply) => port1.postMessage(reply), messageOf),
  );
  const caller = new PortCaller<Calls, string>(
    (call: PortCall<Calls>) => port2.postMessage(call),
    (message) => new Error(message),
  );
  port2.on("message", (reply: PortReply<string>) => caller.settle(reply));
  await expect(caller.call("read")).rejects.toThrow(new Error(unexpectedFailure));
  port1.close();
  expect(heard.at(-1)).toContain("rows.map is not a function");
});

it("an address that the database's client cannot parse is not a bug", () => {
  const before = heard.length;
  expect(
    databaseErrorOf(Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL" })).message,
  ).toBe("the database cannot be reached: its address cannot be read");
  expect(heard).toHaveLength(before);
});
