import { zipSync } from "fflate";
import { expect, test } from "vitest";
import { endpoints } from "../../../src/platform/endpoints/endpoints.js";
import { managementPart } from "../../../src/platform/management/management-part.js";
import { openPglite } from "../../../src/store/database/pglite/pglite-database.js";
import { images } from "../../support/compiler/shared-cache.js";
import { onEither, world } from "../../support/database/databases.js";
import { sampleFiles } from "../../support/server/management-sample.js";
import { deployForm, startPlatform } from "../../support/server/platform-server.js";
import { createQueryHosting } from "../../support/server/query-hosting.js";
import { graphloom, workplace } from "../harness.js";

const { fresh } = onEither();

test("one command moves a subgraph from one server to another, and keeps its id", async () => {
  const hosting = createQueryHosting();
  const old = await startPlatform(await fresh(), {
    createHosting: async () => hosting,
    parts: [managementPart(), () => ({ routes: endpoints() })],
  });
  const another = await openPglite(undefined, world, images);
  const server = await startPlatform(another);
  try {
    const form = deployForm(zipSync(sampleFiles({ startBlock: 7 })));
    const put = { method: "PUT", form };
    const deployed = await old.ask("/subgraphs/pools/deployments/1.0.0", put);
    expect([deployed.status, deployed.text]).toEqual([201, expect.any(String)]);
    const [{ deployment_id: id }] = deployed.json.deployments;
    hosting.answering.set(id, {
      execute: async () => ({ data: { _meta: { deployment: id } }, attestable: true }),
    });
    const endpoint = deployed.json.private_graphql_endpoint;
    const change = {
      method: "PATCH",
      body: { public_endpoint_enabled: false, private_endpoint_enabled: true },
    };
    expect((await old.ask("/subgraphs/pools/1.0.0", change)).status).toBe(200);

    const cwd = workplace({});
    const env = { HOME: cwd, GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: server.token };
    const move = (line: string, more = {}) =>
      graphloom(cwd, `subgraph deploy ${line} --wait none`, { env: { ...env, ...more } });
    const idOf = async (path: string): Promise<unknown> =>
      (await server.ask(`/subgraphs/${path}`)).json.data[0].deployments[0].deployment_id;

    const byUrl = await move(`pools/1.0.0 --from-url ${endpoint} --from-token ${old.token}`);
    expect([byUrl.code, byUrl.err]).toEqual([0, expect.stringContaining(`serves the deployment ${id}`)]);
    expect(await idOf("pools/1.0.0")).toBe(id);

    const login = { env: { HOME: cwd } };
    const word = `login --api-url ${old.url} --token ${old.token}`;
    expect(await graphloom(cwd, word, login)).toMatchObject({ code: 0 });
    const byHash = await move(`hash/1 --from-ipfs-hash ${id} --ipfs-gateway ${old.url}`);
    expect([byHash.code, byHash.err]).toEqual([0, ""]);
    expect(await idOf("hash/1")).toBe(id);
    expect(await move(`word/1 ${endpoint}`)).toMatchObject({ code: 0 });
    expect(await idOf("word/1")).toBe(id);

    // The token in the environment is for the same server. It goes to no other one: see below.
    const same = await graphloom(
      cwd,
      `subgraph deploy same/1 --from-ipfs-hash ${id} --ipfs-gateway ${server.url} --wait none`,
      { env: { ...env, HOME: workplace({}) } },
    );
    expect([same.code, same.err]).toEqual([0, ""]);
    expect(await idOf("same/1")).toBe(id);

    const stranger = await old.addKey("Viewer", "strangers");
    const kept = await move(
      `mine/1 --from-ipfs-hash ${id} --ipfs-gateway ${old.url} --from-token ${stranger}`,
    );
    expect([kept.code, kept.err]).toEqual([3, expect.stringContaining(`did not return ${id} (status 404)`)]);
    const keyless = await graphloom(
      cwd,
      `subgraph deploy mine/1 --from-ipfs-hash ${id} --ipfs-gateway ${old.url} --wait none`,
      { env: { ...env, HOME: workplace({}) } },
    );
    expect([keyless.code, keyless.err]).toEqual([3, expect.stringContaining("set GRAPHLOOM_FROM_TOKEN")]);
  } finally {
    await old.close();
    await server.close();
    await another.close();
  }
});
