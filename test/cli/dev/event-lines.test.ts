import { describe, expect, it } from "vitest";
import { eventLines, statusText } from "../../../src/cli/dev/event-lines.js";
import type { HostedError, HostedStatus } from "../../../src/hosting/engine.js";

const failure: HostedError = { message: "it failed", block: 7 };
const retried: HostedError = { ...failure, isRetried: true, failingSince: 1_000, attempts: 2 };

function said(error: HostedError, answers: boolean): string | undefined {
  return eventLines("mainnet", { kind: "failed", deployment: "QmA", answers, error }, new Map(), false).split(
    "\n",
  )[0];
}

describe("a failure in dev", () => {
  it("reports that a build stopped after a permanent failure", () => {
    expect(said(failure, true)).toBe("mainnet: stopped at block 7");
    expect(said(failure, false)).toBe("mainnet: the change stopped at block 7");
  });

  it("reports that a failed block is retried", () => {
    expect(said(retried, true)).toBe("mainnet: failed at block 7 and is retried");
    expect(said(retried, false)).toBe("mainnet: the change failed at block 7 and is retried");
  });

  it.each([
    [failure, "mainnet stopped at block 7 of 9"],
    [retried, "mainnet retrying after block 7 of 9"],
  ])("shows a failure in the status line (%j)", (fatalError, text) => {
    const status: HostedStatus = {
      health: "failed",
      isSynced: false,
      fatalError,
      nonFatalErrors: [],
      startBlock: 0,
      headBlock: 7,
      chainHeadBlock: 9,
    };
    expect(statusText([["mainnet", { status: { current: status, next: undefined } }]], () => undefined)).toBe(
      text,
    );
  });

  it.each([
    [false, "mainnet ███████░░░ 75 %, 5 s left | block 175 of 200 | 12/s"],
    [true, "mainnet block 175 of 200 | 12/s"],
  ])("shows how far it is until it is synced (%s)", (isSynced, text) => {
    const blocks = { startBlock: 100, headBlock: 175, chainHeadBlock: 200 };
    const current: HostedStatus = {
      health: "healthy",
      isSynced,
      nonFatalErrors: [],
      handlersPerSecond: 12.4,
      ...blocks,
    };
    const work = isSynced ? undefined : { begin: 150, from: 100, done: 175, total: 200, spent: 5_000 };
    expect(statusText([["mainnet", { status: { current, next: undefined } }]], () => work)).toBe(text);
  });

  it("shows the progress of a change after the progress of the build that answers", () => {
    const built = { health: "healthy", nonFatalErrors: [], startBlock: 0, chainHeadBlock: 10 } as const;
    const current: HostedStatus = { ...built, isSynced: true, headBlock: 10 };
    const next: HostedStatus = { ...built, isSynced: false, headBlock: 5 };
    const text = statusText([["mainnet", { status: { current, next } }]], (_, which) =>
      which === "next" ? { begin: 0, done: 5, total: 10, spent: 5_000 } : undefined,
    );
    expect(text).toBe("mainnet block 10 of 10; its change █████░░░░░ 50 %, 5 s left | block 5 of 10");
  });
});
