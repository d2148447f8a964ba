import { describe, expect, it } from "vitest";
import { type DeployOptions, deployAll } from "../../src/deploy/deploy-all.js";
import type { Deployment, DeployRequest, DeployTarget } from "../../src/deploy/target.js";
import type { Build } from "../../src/subgraph/build.js";

/** A request whose content is represented by a word. */
function request(name: string, content: string): DeployRequest {
  const build = { manifest: { content }, files: new Map() } as unknown as Build;
  return { name, version: "1", build, removeGraft: false };
}

/** A target in memory that records its calls, and fails those that are listed. */
function place(there: Readonly<Record<string, string>>, fails: readonly string[] = []) {
  const deployed = new Map(Object.entries(there));
  const asked: string[] = [];
  const note = (what: string): void => {
    asked.push(what);
    if (fails.includes(what)) throw new Error(what);
  };
  const idOf = ({ build }: DeployRequest): string => `Qm${String(build.manifest.content)}`;
  const target: DeployTarget = {
    label: "a place",
    check: async () => undefined,
    expectedId: async (wanted) => idOf(wanted),
    async find({ name }) {
      note(`find ${name}`);
      const deploymentId = deployed.get(name);
      return deploymentId === undefined ? undefined : { deploymentId, queryUrl: undefined };
    },
    async deploy(wanted, onProgress): Promise<Deployment> {
      note(`deploy ${wanted.name}`);
      onProgress({ step: "uploading", done: 1, total: 1 });
      deployed.set(wanted.name, idOf(wanted));
      return { deploymentId: idOf(wanted), queryUrl: undefined };
    },
    tag: async ({ name }, tag) => note(`tag ${name} ${tag}`),
    status: async () => undefined,
  };
  return { target, deployed, asked };
}

const plain: DeployOptions = { tags: [], existing: "refuse" };
const three = [request("a", "1"), request("b", "2"), request("c", "3")];

async function states(target: DeployTarget, requests = three, options = plain): Promise<readonly string[]> {
  const results = await deployAll(requests, target, options);
  expect(results.map(({ request: { name } }) => name)).toEqual(requests.map(({ name }) => name));
  return results.map(({ state }) => state);
}

describe("deployAll", () => {
  it("looks up all subgraphs before it sends the first", async () => {
    const { target, asked } = place({});
    expect(await states(target)).toEqual(["deployed", "deployed", "deployed"]);
    expect(asked).toEqual(["find a", "find b", "find c", "deploy a", "deploy b", "deploy c"]);
  });

  it("does not look up subgraphs that it overwrites anyway", async () => {
    const { target, asked } = place({ a: "Qm1", b: "Qm9" });
    const options: DeployOptions = { tags: [], existing: "overwrite" };
    expect(await states(target, three, options)).toEqual(["deployed", "deployed", "deployed"]);
    expect(asked).toEqual(["deploy a", "deploy b", "deploy c"]);
  });

  it("stops at a failure, and completes the rest when called again", async () => {
    const fails = ["deploy b"];
    const { target, deployed, asked } = place({}, fails);
    expect(await states(target)).toEqual(["deployed", "failed", "left"]);
    fails.pop();
    asked.length = 0;
    expect(await states(target)).toEqual(["unchanged", "deployed", "deployed"]);
    expect(asked).toEqual(["find a", "find b", "find c", "deploy b", "deploy c"]);
    expect([...deployed]).toEqual([
      ["a", "Qm1"],
      ["b", "Qm2"],
      ["c", "Qm3"],
    ]);
  });

  it("deploys nothing when one version exists with different content", async () => {
    const { target, asked } = place({ c: "Qmother" });
    expect(await states(target)).toEqual(["left", "left", "taken"]);
    expect(asked).toEqual(["find a", "find b", "find c"]);
  });

  it("deploys nothing when one lookup fails", async () => {
    const { target, asked } = place({ a: "Qm1" }, ["find b"]);
    expect(await states(target)).toEqual(["left", "failed", "left"]);
    expect(asked).toEqual(["find a", "find b"]);
  });

  it("keeps existing versions with the option keep", async () => {
    const { target, deployed } = place({ b: "Qmother" });
    expect(await states(target, three, { tags: [], existing: "keep" })).toEqual([
      "deployed",
      "kept",
      "deployed",
    ]);
    expect(deployed.get("b")).toBe("Qmother");
  });

  it("replaces existing versions with the option replace", async () => {
    const { target, deployed } = place({ b: "Qmother" });
    expect(await states(target, three, { tags: [], existing: "replace" })).toEqual([
      "deployed",
      "deployed",
      "deployed",
    ]);
    expect(deployed.get("b")).toBe("Qm2");
  });
});

describe("tags", () => {
  const tagged: DeployOptions = { tags: ["prod", "next"], existing: "refuse" };

  it("sets the tags after each deployment, also of an unchanged one", async () => {
    const { target, asked } = place({ a: "Qm1" });
    const results = await deployAll(three.slice(0, 2), target, tagged);
    expect(asked).toEqual([
      "find a",
      "find b",
      "tag a prod",
      "tag a next",
      "deploy b",
      "tag b prod",
      "tag b next",
    ]);
    expect(results.map(({ tags }) => tags)).toEqual([
      ["prod", "next"],
      ["prod", "next"],
    ]);
  });

  it("stops at a tag that fails, and does not report the deployment as failed", async () => {
    const { target } = place({}, ["tag a next"]);
    const [a, b] = await deployAll(three.slice(0, 2), target, tagged);
    expect(a).toMatchObject({ state: "deployed", tags: ["prod"], error: new Error("tag a next") });
    expect(b).toMatchObject({ state: "left" });
  });
});

it("deployAll reports every step before it starts", async () => {
  const { target } = place({});
  const steps: string[] = [];
  await deployAll([request("a", "1")], target, {
    tags: ["prod"],
    existing: "refuse",
    onStep: ({ name }, { step }) => steps.push(`${name} ${step}`),
  });
  expect(steps).toEqual(["a asking", "a uploading", "a tagging"]);
});

/** An error after which the outcome is open, or the request has ended. */
function lost(outcome: "open" | "ended"): Error {
  return Object.assign(new Error("lost"), { outcome });
}

describe("a deployment whose answer is lost", () => {
  it.each([
    ["open", "1", { state: "deployed" }],
    ["ended", "1", { state: "deployed" }],
    ["open", undefined, { state: "failed", isKnown: false }],
    ["ended", undefined, { state: "failed", isKnown: true }],
    ["open", "2", { state: "failed", isKnown: false }],
    ["ended", "2", { state: "failed", isKnown: false }],
  ] as const)("looks up the deployment after a lost answer (%s), and finds content %j", async (outcome, content, expected) => {
    const { target, deployed } = place({});
    const [result] = await deployAll(
      [request("a", "1")],
      {
        ...target,
        async deploy() {
          if (content !== undefined) deployed.set("a", `Qm${content}`);
          throw lost(outcome);
        },
      },
      plain,
    );
    expect(result).toMatchObject(expected);
  });

  it("reports an unknown result when the lookup after a lost answer fails too", async () => {
    const { target } = place({});
    let isAlive = true;
    const dying: DeployTarget = {
      ...target,
      async deploy() {
        isAlive = false;
        throw lost("ended");
      },
      find: async (wanted) => (isAlive ? target.find(wanted) : Promise.reject(new Error("dead"))),
    };
    const [result] = await deployAll([request("a", "1")], dying, plain);
    expect(result).toMatchObject({ state: "failed", isKnown: false, error: lost("ended") });
  });
});
