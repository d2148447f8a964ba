import { expect, it } from "vitest";
import { createQueryNodes } from "../../../src/hosting/graph-node/query-nodes.js";
import { createNodeWorld } from "../../../src/machine/world.js";

const reason = new Error("The client has left.");

it("a query to a graph-node ends when its client leaves, and fails with the reason", async () => {
  const signals: AbortSignal[] = [];
  const fetch = (_: string, { signal }: RequestInit): Promise<Response> =>
    new Promise((_resolve, reject) => {
      if (!signal) throw new Error("the request cannot be ended");
      signals.push(signal);
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  const nodes = createQueryNodes("http://graph-node.test", { ...createNodeWorld(), fetch }, {});
  const leaving = new AbortController();
  const asked = nodes.answer("QmA", "{}", undefined, leaving.signal);
  const failed = expect(asked).rejects.toBe(reason);
  await expect.poll(() => signals.length).toBe(1);
  leaving.abort(reason);
  await failed;
  expect(signals[0]?.aborted).toBe(true);
  await expect(nodes.answer("QmA", "{}", undefined, leaving.signal)).rejects.toBe(reason);
  expect(signals).toHaveLength(1);
});
