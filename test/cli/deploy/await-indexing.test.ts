import { describe, expect, it } from "vitest";
import { type Awaiting, awaitIndexing, type WaitEnd } from "../../../src/cli/deploy/await-indexing.js";
import type { DeployResult } from "../../../src/deploy/deploy-all.js";
import type { DeploymentStatus, DeployTarget } from "../../../src/deploy/target.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { memoryTerminal } from "../memory-terminal.js";

/** Milliseconds that pass with every status request. */
const lookTime = 3_000;

const healthy = { health: "healthy", synced: false, head: 100, startBlock: 0 } as const;
const failed = { ...healthy, health: "failed", block: 6, fatalError: "it aborted" } as const;

/** Waits while a target reports one status after the other, and then repeats the last. */
async function wait(goal: Awaiting["goal"], ...said: readonly DeploymentStatus[]) {
  return waitAt(memoryTerminal(), goal, ...said);
}

/** The same with a given terminal. */
async function waitAt(
  terminal: ReturnType<typeof memoryTerminal>,
  goal: Awaiting["goal"],
  ...said: readonly DeploymentStatus[]
) {
  const request = { name: "pools", version: "1.0.0", build: sampleBuild(), removeGraft: false };
  const deployment = { deploymentId: "QmA", queryUrl: undefined };
  const result: DeployResult = { request, state: "deployed", tags: [], deployment };
  const ends: WaitEnd["state"][] = [];
  let looks = 0;
  let time = 0;
  const target = {
    status: async () => {
      looks += 1;
      time += lookTime;
      return said[Math.min(looks, said.length) - 1];
    },
    isManaged: true,
  } as unknown as DeployTarget;
  const awaiting: Awaiting = {
    goal,
    onEnd: (_, { state }) => {
      ends.push(state);
      if (terminal.isTty) terminal.err("[reported]\n");
    },
  };
  const clock = {
    now: () => time,
    pause: async (milliseconds: number) => {
      time += milliseconds;
    },
  };
  const code = await awaitIndexing([result], target, awaiting, terminal, clock);
  return { code, ends, looks, said: terminal.said(), took: time };
}

it("the wait for indexing reports a failure when a handler fails right after the first block", async () => {
  const { code, ends, said } = await wait("indexing", { ...healthy, block: 0 }, failed);
  expect([code, ends, said]).toEqual([1, ["failed"], "pools/1.0.0 failed: it aborted\n"]);
});

it("the wait for indexing reports indexing when a deployment is healthy some seconds after its first block", async () => {
  const { code, ends, looks, said } = await wait(
    "indexing",
    { ...healthy, block: 0 },
    { ...healthy, block: 9 },
  );
  expect([code, ends, looks]).toEqual([0, ["indexing"], 3]);
  expect(said).toBe("pools/1.0.0: catching up, block 9 of 100\n");
});

it("the wait for indexing stops waiting when a deployment is synced", async () => {
  const { code, ends, looks } = await wait("indexing", { ...healthy, synced: true, block: 100 });
  expect([code, ends, looks]).toEqual([0, ["synced"], 1]);
});

it("the wait for indexing reports waiting when the start block is beyond the head, even if the target reports synced", async () => {
  const future = { ...healthy, startBlock: 99_999, synced: true };
  const { code, ends, said } = await wait("indexing", future);
  expect([code, ends]).toEqual([0, ["waiting"]]);
  expect(said).toBe("pools/1.0.0: waiting for block 99999; the chain is at block 100\n");
  const synced = { ...healthy, startBlock: 99_999, head: 100_000, block: 100_000, synced: true };
  expect((await wait("synced", future, synced)).ends).toEqual(["synced"]);
});

it("the wait for indexing erases the status line before it reports a failure", async () => {
  const terminal = { ...memoryTerminal(), isTty: true };
  await waitAt(terminal, "synced", { ...healthy, block: 4 }, failed);
  const lines = terminal.said().split("\n");
  const report = lines.find((line) => line.endsWith("[reported]")) ?? "";
  expect(report.slice(report.lastIndexOf("\u001b[2K") + "\u001b[2K".length)).toBe("[reported]");
});

it("the wait for indexing shows a bar, the time left and the rate while a version catches up", async () => {
  const terminal = { ...memoryTerminal(), isTty: true };
  await waitAt(
    terminal,
    "synced",
    { ...healthy, block: 20 },
    { ...healthy, block: 46 },
    { ...healthy, synced: true, block: 100 },
  );
  // 26 blocks in 3.25 seconds.
  const line = "pools/1.0.0: ████░░░░░░ 46 %, 7 s left | 8 blocks/s | catching up, block 46 of 100";
  expect(terminal.said().replaceAll("…", "")).toContain(line.slice(0, 78));
});

it("the wait for indexing mentions a chain without new blocks behind the state, not as an error", async () => {
  const idle = "The node of mainnet has had no new block since noon";
  const { code, ends, said } = await wait("synced", { ...healthy, synced: true, block: 100, idle });
  expect([code, ends]).toEqual([0, ["synced"]]);
  expect(said).toBe(`pools/1.0.0: synced at block 100. ${idle}\n`);
});

it("the wait for indexing reports a failure when an error pauses a version before it is synced", async () => {
  const halted = {
    ...healthy,
    health: "unhealthy",
    block: 4,
    paused: true,
    lastError: "it aborted",
  } as const;
  for (const goal of ["synced", "indexing"] as const) {
    const { code, ends, said } = await wait(goal, halted);
    expect([code, ends]).toEqual([1, ["paused"]]);
    expect(said).toBe(
      "pools/1.0.0 failed before it was synced and is paused at block 4, with errors: it aborted\n" +
        "To continue, run: graphloom subgraph start pools/1.0.0\n",
    );
  }
});

/** The status of a block that fails and is retried, as graph-node reports it and as our server does. */
const retried = { ...healthy, health: "unhealthy", block: 4, fatalError: "no file" } as const;
const retriedByUs = (attempts: number) => ({
  ...retried,
  health: "failed" as const,
  failingSince: 1_767_323_045_000,
  attempts,
  fatalError: `no file (tried ${attempts} times, and is tried again)`,
});
const ofGraphNode = ["indexing fails after block 4 and is retried: no file\n"];
const ofOurs = ["indexing fails after block 4: no file (tried 2 times, and is tried again)\n"];

describe.each([
  ["a graph-node", () => retried, [ofGraphNode, ofGraphNode]],
  ["our server", retriedByUs, [ofOurs, ["indexing fails after block 4: no file (tried "]]],
])("a block that fails and is retried by %s", (_, statusAfter, [first = [], last = []]) => {
  const statuses = Array.from({ length: 200 }, (_, index) => statusAfter(index + 2));

  it.each([
    ["synced", 300_000],
    ["indexing", 60_000],
  ] as const)("reports a retried failure once, and stops waiting after a while (--wait %s)", async (goal, most) => {
    const { code, ends, said, took } = await wait(goal, ...statuses);
    expect([code, ends]).toEqual([1, ["waiting"]]);
    expect(took).toBeGreaterThan(most);
    const lines = said.split("\n").filter((line) => !line.includes("catching up, block 4"));
    expect(lines).toHaveLength(4);
    expect(`${lines[0]}\n`).toBe(`pools/1.0.0: ${first}`);
    expect(`${lines[1]}\n`).toContain(`pools/1.0.0 makes no progress: ${last}`);
    expect(lines.slice(2)).toEqual(["It is deployed; check again later.", ""]);
  });

  it("succeeds when a retried block succeeds in the end", async () => {
    const result = await wait("synced", statusAfter(2), statusAfter(3), {
      ...healthy,
      block: 100,
      synced: true,
    });
    const { code, ends, said } = result;
    expect([code, ends]).toEqual([0, ["synced"]]);
    const lines = said.split("\n").filter((line) => !line.includes("catching up, block 4"));
    expect(lines.join("\n")).toBe(`pools/1.0.0: ${first}pools/1.0.0: synced at block 100\n`);
  });

  it("waits for a retried block although the version was synced before", async () => {
    const result = await wait("synced", ...statuses.map((status) => ({ ...status, synced: true })));
    expect(result).toMatchObject({ code: 1, ends: ["waiting"] });
  });
});

it("the wait for indexing reports an error once when indexing continues after it", async () => {
  const unhealthy = { ...healthy, health: "unhealthy", block: 4, lastError: "it aborted" } as const;
  const result = await wait("synced", unhealthy, { ...unhealthy, block: 5 }, { ...unhealthy, synced: true });
  const { code, said } = result;
  expect([code, said.split("it aborted").length - 1]).toEqual([0, 1]);
});

it("the wait for indexing reports a failure in the last blocks before the head of a synced version", async () => {
  const near = { ...healthy, block: 95, synced: true };
  const { code, ends } = await wait("synced", near, { ...failed, block: 96, synced: true });
  expect([code, ends]).toEqual([1, ["failed"]]);
});

it("the wait for indexing reports synced after some seconds although the version does not reach the head", async () => {
  const { code, ends, looks } = await wait("synced", { ...healthy, block: 95, synced: true });
  expect([code, ends, looks]).toEqual([0, ["synced"], 3]);
});
