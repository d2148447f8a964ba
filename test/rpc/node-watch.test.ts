import { beforeEach, describe, expect, it } from "vitest";
import { NodeWatch } from "../../src/rpc/node-watch.js";

let now = 0;
let lines: string[] = [];
let watch: NodeWatch;
beforeEach(() => {
  now = Date.UTC(2026, 10, 23, 12, 0, 0);
  lines = [];
  watch = new NodeWatch(
    "mainnet",
    () => now,
    (level, text) => lines.push(`${level}: ${text}`),
  );
});

/** Reports a number of heads at a fixed interval in seconds. */
function go(heads: number, seconds: number, isPaced = true): void {
  for (let head = 1; head <= heads; head++) {
    now += seconds * 1000;
    watch.sawHead(head, isPaced);
  }
}

describe("a node", () => {
  it("a node is away after two seconds without an answer, and its loss and return are each logged once", () => {
    watch.failed("the connection was refused (ECONNREFUSED)", now);
    expect([watch.trouble, lines]).toEqual([undefined, []]);
    now += 1_000;
    watch.answered();
    watch.failed("the connection was refused (ECONNREFUSED)", now);
    now += 2_000;
    watch.failed("the connection was refused (ECONNREFUSED)", now);
    watch.failed("the connection was refused (ECONNREFUSED)", now);
    const why =
      "No answer from the node of mainnet since 2026-11-23 12:00:01 UTC: the connection was refused (ECONNREFUSED)";
    expect(watch.trouble).toEqual({ kind: "away", since: now - 2_000, why });
    now += 73_000;
    watch.answered();
    watch.answered();
    expect(watch.trouble).toBeUndefined();
    expect(lines).toEqual([`warn: ${why}`, "info: The node of mainnet answers again after 75 s"]);
  });

  it("a node is away after it leaves a request for the head open for ten seconds", () => {
    const arrived = watch.waits();
    now += 9_999;
    expect(watch.trouble).toBeUndefined();
    now += 1;
    expect(watch.trouble?.why).toMatch(/since 2026-11-23 12:00:00 UTC: no answer in time$/);
    arrived();
    expect(watch.trouble).toBeUndefined();
  });

  it("a node is stuck when its chain stands still for much longer than usual", () => {
    go(20, 12);
    now += 119_000;
    watch.sawHead(20, true);
    expect(watch.trouble).toBeUndefined();
    now += 1_000;
    watch.sawHead(20, true);
    const why =
      "The node of mainnet has had no new block since 2026-11-23 12:04:00 UTC: it is still at block 20";
    expect(watch.trouble).toMatchObject({ kind: "stuck", why });
    now += 12_000;
    watch.sawHead(21, true);
    expect(watch.trouble).toBeUndefined();
    expect(lines).toEqual([`warn: ${why}`, "info: The chain of mainnet continues with block 21 after 132 s"]);
  });

  it.each([
    ["with only a few known blocks", 9, true],
    ["that mines blocks only for transactions", 200, false],
  ])("a node is not stuck if it serves a chain %s", (_, heads, isPaced) => {
    go(heads, 1, isPaced);
    now += 86_400_000;
    watch.sawHead(heads, isPaced);
    expect([watch.trouble, lines]).toEqual([undefined, []]);
  });
});
