import { expect, it } from "vitest";
import type { HostedError, HostedStatus } from "../../../src/hosting/engine.js";
import { wordsOf } from "../../../src/platform/http/html.js";
import { toleratedErrors } from "../../../src/platform/pages/subgraph/overview-tab.js";

const status: HostedStatus = { health: "unhealthy", isSynced: true, nonFatalErrors: [], startBlock: 1 };
const error = { message: "no amount", handler: "handleSwap", block: 17 };

function shown(nonFatalErrors: readonly HostedError[], more: Partial<HostedStatus> = {}): string {
  const made = toleratedErrors({ ...status, ...more, nonFatalErrors }, ({ handler }) =>
    handler === "handleSwap"
      ? [
          {
            source: "pools.json",
            line: 20,
            column: 3,
            before: "a ",
            marked: "b",
            after: " c",
            what: "Swap.value",
          },
        ]
      : [],
  );
  return made ? wordsOf(made).markup : "";
}

it("the page counts errors, and quotes the configuration once for equal ones", () => {
  const words = shown([error, { ...error, block: 18 }, { message: "odd", handler: "handleMint", block: 19 }]);
  expect(words).toMatch(/^3 errors that did not stop indexing\s/);
  expect(words).toMatch(
    /in handleSwap, 2 times, first at block 17 no amount\s*pools.json:20:3, Swap.value\s+20 \| a b c/,
  );
  expect(words).toMatch(/in handleMint, at block 19 odd\s*$/);
  expect(words.match(/pools.json/g)).toHaveLength(1);
});

it("the page omits the states of nodes and engines, which are not errors of handlers", () => {
  const why = "No news from mainnet's node";
  expect(shown([{ message: why }], { nodeState: { kind: "away", why } })).toBe("");
  expect(shown([error, { message: why }], { waitsFor: why })).toMatch(/^1 error that did not stop indexing/);
  // A graph-node may not name the handler.
  expect(shown([{ message: "odd", block: 4 }], { waitsFor: why })).toMatch(/at block 4 odd/);
});

it("the page lists at most 20 that differ, and says when more are not counted", () => {
  const many = Array.from({ length: 1_000 }, (_, at) => ({ ...error, message: `error ${at % 30}` }));
  const words = shown(many);
  expect(words).toMatch(/^at least 1,000 errors that did not stop indexing/);
  expect(words.match(/in handleSwap/g)).toHaveLength(20);
  expect(words).toMatch(/The log has 10 more\./);
});
