// Opens a database with an empty deployment, for a measurement that fills its tables itself.
import { createNodeWorld } from "../dist/machine/world.js";
import { migrate } from "../dist/store/database/migrate.js";
import { openDeployment } from "../dist/store/deployments/deployments.js";
import { openStore } from "../dist/store/entities/open-store.js";
import { openDatabase } from "../dist/store/open.js";
import { readEntitySchema } from "../dist/subgraph/schema/read-entity-schema.js";

/** @returns the database, the schema of its tables, and what ends the work at a last block and closes it */
export async function openEmptyDeployment(address, deployment, schema) {
  const database = await openDatabase(address, createNodeWorld());
  await migrate(database);
  const opened = await openDeployment(database, {
    deployment,
    network: "mainnet",
    schema,
    startBlock: 1,
    manifest: { specVersion: "1.3.0", features: [] },
  });
  const store = openStore(database, opened, {
    entities: readEntitySchema(schema),
    dataSources: [1],
    templates: [],
  });
  const end = async (number) => {
    const head = { number, hash: `0x${"11".repeat(32)}` };
    await store.commit(head, { changes: [], dataSources: [] }, { more: false });
    await store.flush?.();
    await database.close();
  };
  return { database, namespace: opened.namespace, end };
}
