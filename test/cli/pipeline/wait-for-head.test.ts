import { expect, test } from "vitest";
import { waitForHead } from "../../../src/cli/pipeline/pipeline-world.js";

const headAt = (number: number, fork = "a") => ({ number, hash: `0x${fork}${number}` });

/** A chain whose head is the next of a list at each look, and the last one from then on. */
function chainOf(heads: readonly ReturnType<typeof headAt>[]) {
  let looks = 0;
  const head = async () => heads[Math.min(looks++, heads.length - 1)] ?? headAt(0);
  return { head, looks: () => looks };
}

test("a wait ends with the first look that shows another head", async () => {
  const chain = chainOf([headAt(5), headAt(6)]);
  await waitForHead(chain, headAt(5), new AbortController().signal);
  expect(chain.looks()).toBe(2);
});

test("a head of the same number on another fork is another head", async () => {
  const chain = chainOf([headAt(5, "b")]);
  await waitForHead(chain, headAt(5), new AbortController().signal);
  expect(chain.looks()).toBe(1);
});

test("a wait for a head that stays ends after some looks, so that finality is looked at", async () => {
  const chain = chainOf([headAt(5)]);
  await waitForHead(chain, headAt(5), new AbortController().signal);
  expect(chain.looks()).toBe(8);
});

test("a wait ends without a look when its command is stopped", async () => {
  const chain = chainOf([headAt(5)]);
  const stop = new AbortController();
  const waiting = waitForHead(chain, headAt(5), stop.signal);
  stop.abort();
  await waiting;
  expect(chain.looks()).toBe(0);
});
