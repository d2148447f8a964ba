import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createEmbeddedEngine } from "../../../src/hosting/embedded/create-embedded-engine.js";
import { endpoints } from "../../../src/platform/endpoints/endpoints.js";
import { oneClient } from "../../../src/platform/endpoints/options.js";
import { createHosting } from "../../../src/platform/subgraphs/create-hosting.js";
import { addVersion } from "../../../src/platform/subgraphs/versions.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import type { Database } from "../../../src/store/database/database.js";
import { openDatabase } from "../../../src/store/open.js";
import { blocksBundle } from "../../hosting/blocks.js";
import type { Bundle } from "../../hosting/hosted.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { onPglite, serverDatabase, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import {
  deployForm,
  managementParts,
  startPlatform,
  type TestPlatform,
} from "../../support/server/platform-server.js";
import { realWorld } from "../../support/worlds.js";

const anvil = useAnvil();
/** More blocks than the chain may still replace. */
const blocks = 300;
let bundle: Bundle;
// The compiler is slow to start.
beforeAll(async () => {
  bundle = await blocksBundle("keep");
  await anvil().mine(blocks);
});

/** A server that indexes, with our project and a stranger's. */
async function start(
  database: Database,
  address?: string,
): Promise<{ server: TestPlatform; stranger: string }> {
  const nodes = new Nodes(new Map([["mainnet", [anvil().url]]]), realWorld, { pollInterval: 30 });
  onTestFinished(() => nodes.close());
  const engine = createEmbeddedEngine({
    database,
    ...(address !== undefined && { address }),
    world: realWorld,
    nodes,
  });
  const server = await startPlatform(database, {
    createHosting: async () =>
      createHosting({ database, engines: [engine], world: realWorld, interval: 500 }),
    parts: [...managementParts, () => ({ routes: endpoints(oneClient) })],
  });
  return { server, stranger: await server.addKey("Owner", "project_stranger") };
}

const grafted = (base: string, more = "") =>
  blocksBundle("balk", `features: [grafting]\ngraft: { base: ${base}, block: 20 }${more}`);
const absent = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";

const providers: readonly (readonly [string, () => Promise<{ database: Database; address?: string }>])[] = [
  ["PGlite", async () => ({ database: await onPglite().fresh() })],
  [
    "PostgreSQL",
    async () => {
      const address = await serverDatabase();
      return { database: await openDatabase(address, world), address };
    },
  ],
];

describe.each(providers)("a graft, on %s", (provider, open) => {
  it.skipIf(provider === "PostgreSQL" && postgresMissing !== undefined)(
    "copies entities of its own project only, even when graft validation is skipped",
    async () => {
      const { database, address } = await open();
      const { server, stranger } = await start(database, address);
      const deploy = (path: string, { zip }: Bundle, key: string, fields: Record<string, string> = {}) =>
        server.ask(`/subgraphs/${path.replace("/", "/deployments/")}`, {
          method: "PUT",
          form: deployForm(zip, fields),
          key,
        });
      try {
        const own = await deploy("closed/1", bundle, server.token);
        expect(own.status).toBe(201);
        await server.ask("/subgraphs/closed/1", {
          method: "PATCH",
          body: { public_endpoint_enabled: false },
        });
        const head = async () =>
          (await server.ask("/subgraphs/closed/1")).json.data[0].deployments[0].indexing_progress;
        await expect.poll(async () => (await head())?.deployment_head_block).toBeGreaterThanOrEqual(blocks);

        const theirs = await grafted(bundle.deployment);
        const nobodys = await grafted(absent);
        for (const skip of ["0", "1"]) {
          const fields = { skip_graft_validation: skip };
          const refused = await deploy("steal/1", theirs, stranger, fields);
          const unknown = await deploy("steal/1", nobodys, stranger, fields);
          expect([skip, refused.status, unknown.status]).toEqual([skip, 422, 422]);
          // The errors do not reveal whether the base exists in a different project.
          expect(refused.json.detail.replaceAll(bundle.deployment, absent)).toBe(unknown.json.detail);
        }
        const asked = await server.ask("/subgraphs", { key: stranger });
        expect(asked.json.data).toEqual([]);

        expect((await deploy("mine/1", theirs, server.token)).status).toBe(201);
        const query = { method: "POST", body: { query: '{ note(id: "20") { id } }' } };
        const at = `/api/public/${server.project}/subgraphs/mine/1/gn`;
        await expect.poll(async () => (await server.ask(at, query)).json?.data?.note).toEqual({ id: "20" });
        // Deploying the same build does not give access to a graft of a different project.
        expect((await deploy("steal/1", theirs, stranger, { skip_graft_validation: "1" })).status).toBe(422);
      } finally {
        await server.close();
        if (address !== undefined) await database.close();
      }
    },
  );

  it.skipIf(provider === "PostgreSQL" && postgresMissing !== undefined)(
    "copies nothing from a base of another project, even when it was recorded without that check",
    async () => {
      const { database, address } = await open();
      const { server, stranger } = await start(database, address);
      try {
        const form = deployForm(bundle.zip);
        expect((await server.ask("/subgraphs/closed/deployments/1", { method: "PUT", form })).status).toBe(
          201,
        );
        const head = async () =>
          (await server.ask("/subgraphs/closed/1")).json.data[0].deployments[0].indexing_progress;
        await expect.poll(async () => (await head())?.deployment_head_block).toBeGreaterThanOrEqual(blocks);
        const theirs = await grafted(bundle.deployment);
        await server.platform.database.transaction((sql) =>
          addVersion(sql, {
            project: "project_stranger",
            name: "steal",
            version: "1",
            deployment: theirs.deployment,
            bundle: theirs.zip,
            network: "mainnet",
            engine: "embedded",
            description: null,
          }),
        );
        await server.platform.hosting.reconcile();
        const log = async () => (await server.ask("/subgraphs/steal/1/logs", { key: stranger })).text;
        await expect.poll(log).toContain("it is not in the database");
        const query = { method: "POST", body: { query: "{ notes { id } }" } };
        const answer = await server.ask("/api/public/project_stranger/subgraphs/steal/1/gn", query);
        expect(answer.json.data).toBeUndefined();
      } finally {
        await server.close();
        if (address !== undefined) await database.close();
      }
    },
  );
});
