import { expect, test } from "vitest";
import { endpoints } from "../../../src/platform/endpoints/endpoints.js";
import { managementPart } from "../../../src/platform/management/management-part.js";
import { accountsPart } from "../../../src/platform/management/people/accounts-part.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { catalogDeployment } from "../../../src/query/catalog-deployment.js";
import { createQueryEngine } from "../../../src/query/engine.js";
import { layoutOf, openDeployment } from "../../../src/store/deployments/deployments.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { onPglite, world } from "../../support/database/databases.js";
import { startFaultyProxy } from "../../support/network/faulty-proxy.js";
import { sampleBundle } from "../../support/server/management-sample.js";
import { addPerson } from "../../support/server/people.js";
import { deployForm, startPlatform } from "../../support/server/platform-server.js";
import { createQueryHosting } from "../../support/server/query-hosting.js";
import { graphloom, workplace } from "../harness.js";

const { fresh } = onPglite();
const schema = "type Swap @entity(immutable: true) { id: Bytes! amountIn: BigInt! }";

test("diff reads the build of a deployed version, or its schema at its endpoint if the server hands out no builds", async () => {
  const database = await fresh();
  const hosting = createQueryHosting();
  const server = await startPlatform(database, {
    createHosting: async () => hosting,
    parts: [managementPart(), accountsPart(createAccounts(world)), () => ({ routes: endpoints() })],
  });
  try {
    const form = deployForm(sampleBundle(), {});
    const deployed = await server.ask("/subgraphs/pools/deployments/1.0.0", { method: "PUT", form });
    expect(deployed.status).toBe(201);
    const [{ deployment_id: id }] = deployed.json.deployments;
    const opened = await openDeployment(database, {
      deployment: id,
      network: "mainnet",
      schema,
      startBlock: 100,
    });
    const built = { entities: readEntitySchema(schema), dataSources: [1], templates: [] };
    const store = openStore(database, opened, built);
    const hash = `0x${"1".repeat(64)}`;
    const block = { number: 100, hash, parentHash: hash, timestamp: 1n };
    await store.commit(block, { changes: [], dataSources: [] }, { more: false });
    await store.flush?.();
    const deployment = catalogDeployment(opened, layoutOf(opened));
    hosting.answering.set(id, createQueryEngine({ database, deployment, world }));

    const cwd = workplace({
      "new.graphql": schema.replace("amountIn: BigInt!", "amountOut: BigInt! pool: String"),
    });
    const env = { GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: server.token };
    const line = "diff pools/1.0.0 new.graphql";
    const told = await graphloom(cwd, line, { env });
    expect([told.code, told.err]).toEqual([4, ""]);
    const changes = `Breaking for queries:
  renamed? Swap.amountIn to Swap.amountOut, which looks the same; otherwise one was removed and the other added

Not breaking:
  Swap.pool is new

To be indexed again:
  Swap
    amountOut was renamed from amountIn
    pool is new

Only the schema of `;
    const unknown =
      "is known: contracts, start blocks, events and calls are not compared.\n\nQueries break.\n";
    expect(told.out).toBe(`${changes}one side ${unknown}`);
    const builds = await graphloom(cwd, "diff pools/1.0.0 pools/1.0.0 --output json", { env });
    expect([builds.code, builds.err]).toEqual([0, ""]);
    expect(JSON.parse(builds.out)).toMatchObject({ compared: "triggers", schema: [], reindex: [] });

    const old = await startFaultyProxy(server.address);
    old.rule((_, path) => (path.endsWith("/build") ? { kind: "status", status: 404, text: "" } : undefined));
    const fromOld = { env: { ...env, GRAPHLOOM_API_URL: `${old.origin}/api/v1` } };
    const schemaOnly = await graphloom(cwd, line, fromOld);
    expect(schemaOnly).toMatchObject({ code: 4, err: "", out: `${changes}the deployed subgraph ${unknown}` });
    const patch = (body: object) => server.ask("/subgraphs/pools/1.0.0", { method: "PATCH", body });
    expect((await patch({ public_endpoint_enabled: false })).status).toBe(200);
    const refused = await graphloom(cwd, line, fromOld);
    await old.stop();
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining("graphloom subgraph update pools/1.0.0"),
    ]);
    expect((await patch({ private_endpoint_enabled: true })).status).toBe(200);
    // A version has entities to compare, at its private endpoint with the token of its server.
    const same = await graphloom(cwd, "compare pools/1.0.0 pools/1.0.0", { env });
    expect([same.code, same.err, same.out]).toEqual([
      0,
      "",
      expect.stringContaining("Both sides are the same"),
    ]);
    const different = await graphloom(cwd, "compare pools/1.0.0 new.graphql", { env });
    expect([different.code, different.err]).toEqual([
      2,
      expect.stringContaining('"new.graphql" is a file, not an endpoint.'),
    ]);
    // The token of a person is valid in all of their projects; the default is the project they joined first.
    await createProject(database, { id: "first_project", name: "First" });
    const person = await addPerson(database, "both@example.com", {
      first_project: "Owner",
      [server.project]: "Viewer",
    });
    const asPerson = { env: { ...env, GRAPHLOOM_TOKEN: person.token } };
    expect(await graphloom(cwd, `${line} --project ${server.project}`, asPerson)).toMatchObject({
      code: 4,
      err: "",
      out: told.out,
    });
    const missing = await graphloom(cwd, "diff pools/3.0.0 new.graphql", { env });
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("has no such version")]);
  } finally {
    await server.close();
  }
});
