import { beforeEach, describe, expect, it } from "vitest";
import { NodeWatch } from "../../src/nodes/node-watch.js";

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

/** So many heads, so many seconds apart. */
function go(heads: number, seconds: number, isPaced = true): void {
  for (let head = 1; head <= heads; head++) {
    now += seconds * 1000;
    watch.sawHead(head, isPaced);
  }
}

describe("a node", () => {
  it("is away when it has not answered for two seconds, and both its absence and its return are said once", () => {
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

  it("is away while it has left the question about the head open for ten seconds", () => {
    const arrived = watch.waits();
    now += 9_999;
    expect(watch.trouble).toBeUndefined();
    now += 1;
    expect(watch.trouble?.why).toMatch(/since 2026-11-23 12:00:00 UTC: no answer in time$/);
    arrived();
    expect(watch.trouble).toBeUndefined();
  });

  it("is stuck when the chain has stood still for much longer than it ever does", () => {
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
    ["of which only a few blocks were seen", 9, true],
    ["that makes blocks when there are transactions", 200, false],
  ])("is not stuck with a chain %s", (_, heads, isPaced) => {
    go(heads, 1, isPaced);
    now += 86_400_000;
    watch.sawHead(heads, isPaced);
    expect([watch.trouble, lines]).toEqual([undefined, []]);
  });
});
