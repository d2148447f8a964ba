import { describe, expect, it } from "vitest";
import type { Subgraph } from "../../../src/api/contract.js";
import type { ManagementApi } from "../../../src/api/management-api.js";
import { createApiTarget } from "../../../src/deploy/management/api-target.js";
import { zipBundle } from "../../../src/deploy/management/zip-bundle.js";
import type { DeployRequest } from "../../../src/deploy/target.js";
import type { Build } from "../../../src/subgraph/build.js";
import { BundleError } from "../../../src/subgraph/bundle-error.js";
import { sampleBuild } from "../../subgraph/sample-build.js";

const requestFor = (build: Build): DeployRequest => ({
  name: "pools",
  version: "1.0.0",
  build,
  removeGraft: false,
});

/** The part of the API that a deployment needs, and the bundles that it received. */
function api(answer: object = {}) {
  const bundles: unknown[] = [];
  const deployed = {
    deployments: [],
    graphql_endpoint: "http://127.0.0.1/pools",
    ...answer,
  } as unknown as Subgraph;
  const deploy: ManagementApi["deploy"] = async (_name, _version, { bundle }) => {
    bundles.push(bundle);
    return deployed;
  };
  return { target: createApiTarget({ deploy } as ManagementApi, "an API"), bundles };
}

describe("the API as a target", () => {
  it("refuses a build that is too large before it sends anything", async () => {
    const build = sampleBuild();
    const files = new Map([...build.files, ["Factory/Factory.wasm", new Uint8Array(100_000_001)]]);
    const { target, bundles } = api();
    const checking = target.check(requestFor({ ...build, files }));
    await expect(checking).rejects.toThrow(BundleError);
    await expect(checking).rejects.toThrow("100,000,000 are allowed");
    expect(bundles).toEqual([]);
  });

  it("reports the newest error that a version continued after", async () => {
    const deployment = { deployment_id: "QmA", fatal_error: null, non_fatal_errors: ["first", "last"] };
    const paused = { status: "PAUSED", health: "UNHEALTHY", synced: false, deployments: [deployment] };
    const getSubgraphVersion = async () => paused as unknown as Subgraph;
    const target = createApiTarget({ getSubgraphVersion } as unknown as ManagementApi, "an API");
    const deployed = { deploymentId: "QmA", queryUrl: undefined };
    expect(await target.status({ name: "pools", version: "1.0.0" }, deployed)).toEqual({
      health: "unhealthy",
      synced: false,
      paused: true,
      lastError: "last",
    });
  });

  it.each([
    [
      { failing_since: "2026-01-02T03:04:05.000Z", attempts: 3 },
      { failingSince: 1_767_323_045_000, attempts: 3 },
    ],
    [{ failing_since: "of late", attempts: 3 }, {}],
    [{ failing_since: "2026-01-02T03:04:05.000Z" }, {}],
    [{ failing_since: 1_767_323_045_000, attempts: "3" }, {}],
    [{ failing_since: "2026-01-02T03:04:05.000Z", attempts: 0 }, {}],
  ])("reads since when a retried block has failed, and how often: %j", async (said, known) => {
    const deployment = { deployment_id: "QmA", fatal_error: "no file", non_fatal_errors: [], ...said };
    const failed = { status: "ACTIVE", health: "FAILED", synced: false, deployments: [deployment] };
    const getSubgraphVersion = async () => failed as unknown as Subgraph;
    const target = createApiTarget({ getSubgraphVersion } as unknown as ManagementApi, "an API");
    const deployed = { deploymentId: "QmA", queryUrl: undefined };
    const status = await target.status({ name: "pools", version: "1.0.0" }, deployed);
    expect(status).toEqual({ health: "failed", synced: false, fatalError: "no file", ...known });
  });

  it("zips a build only once for the check and the upload", async () => {
    const { manifest, parsed, files } = sampleBuild();
    let looks = 0;
    const build: Build = {
      manifest,
      parsed,
      get files() {
        looks += 1;
        return files;
      },
    };
    const { target, bundles } = api();
    await target.check(requestFor(build));
    const once = looks;
    await target.deploy(requestFor(build), () => {});
    expect(looks).toBe(once);
    expect(bundles).toEqual([zipBundle({ manifest, parsed, files })]);
  });

  it.each([
    [{ warnings: ["a is left out", 7, "b fails"] }, ["a is left out", "b fails"]],
    [{ warnings: "a" }, undefined],
    [{}, undefined],
  ])("returns the warnings of a deployment: %j", async (answer, warnings) => {
    const { target } = api(answer);
    expect((await target.deploy(requestFor(sampleBuild()), () => {})).warnings).toEqual(warnings);
  });
});
