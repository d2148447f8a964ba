import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";
import { type DoorServer, startDoorServer } from "./door-server.js";
import { createGraphProject, type GraphProject, type GraphRun, mapping } from "./graph-cli.js";

const databases = onEither();
let database: Database;
let server: DoorServer;
let project: GraphProject;
const name = "org/pools";

/** Versions of the subgraph, oldest first. */
const versions = async (): Promise<readonly unknown[]> =>
  (
    await database.query(
      SQL`select name || '/' || version as version from graphloom.versions order by created_at`,
    )
  ).map(({ version }) => version);
const create = (...more: readonly string[]): Promise<GraphRun> =>
  project.graph("create", name, "--node", server.doors.admin, ...more);
const remove = (...more: readonly string[]): Promise<GraphRun> =>
  project.graph("remove", name, "--node", server.doors.admin, ...more);
const deploy = (label: string, ...more: readonly string[]): Promise<GraphRun> => {
  const { admin, ipfs } = server.doors;
  return project.graph("deploy", name, "--node", admin, "--ipfs", ipfs, "--version-label", label, ...more);
};

beforeAll(async () => {
  project = createGraphProject();
  database = await databases.fresh();
});
afterAll(() => project.remove());

describe("graph-cli's own commands, without a key", () => {
  beforeAll(async () => {
    server = await startDoorServer(database);
  });
  afterAll(() => server.close());

  test("deploy a first and a second version, fail to build a third, and remove the name", async () => {
    expect((await project.graph("codegen")).code).toBe(0);
    expect(await create()).toMatchObject({
      code: 0,
      output: expect.stringContaining(`Created subgraph: ${name}`),
    });

    const first = await deploy("v0.0.1");
    const address = `http://127.0.0.1:${new URL(server.doors.queries).port}/subgraphs/name/${name}`;
    expect(first.output).toContain(`Deployed to ${address}/graphql`);
    expect(first.output).toMatch(new RegExp(`Queries \\(HTTP\\): +${address}\n`));
    expect(first.code).toBe(0);
    const built = /Build completed: (Qm\w+)/.exec(first.output)?.[1] ?? "";
    expect(await server.statuses()).toEqual([built]);
    expect(await server.query(`id/${built}`)).toEqual({ data: {} });

    project.write("src/mapping.ts", mapping.replace("params.value", "params.value.plus(event.params.value)"));
    expect((await deploy("v0.0.1")).code).toBe(0);
    expect(await versions()).toEqual(["org-pools/v0.0.1", "org-pools/v0.0.1-2"]);

    project.write("src/mapping.ts", mapping.replace("params.value", "params.nothing"));
    const failed = await deploy("v0.0.3");
    expect(failed.code).toBe(1);
    expect(failed.output).toContain("Property 'nothing' does not exist");
    expect(await versions()).toHaveLength(2);

    expect(await remove()).toMatchObject({
      code: 0,
      output: expect.stringContaining(`Removed subgraph: ${name}`),
    });
    expect(await versions()).toEqual([]);
    expect(await server.statuses()).toEqual([]);
  });
});

describe("graph-cli's own commands, with a key", () => {
  beforeAll(async () => {
    server = await startDoorServer(database, "key");
  });
  afterAll(() => server.close());

  test("are refused without it, and deploy with it, for the key's project only", async () => {
    const key = await server.addKey("Editor");
    const refused = await create();
    expect(refused.code).toBe(1);
    expect(refused.output).toContain("Error creating the subgraph: auth failure: Send an API key");
    expect((await create("--access-token", key)).code).toBe(0);

    project.write("src/mapping.ts", mapping);
    const first = await deploy("v1", "--deploy-key", key);
    expect(first.output).toContain("Deployed to ");
    expect(first.code).toBe(0);
    const built = /Build completed: (Qm\w+)/.exec(first.output)?.[1] ?? "";
    expect(await server.statuses(key)).toEqual([built]);
    expect(await server.statuses()).toEqual([]);
  });
});
