import { createProject } from "../../../src/platform/people/projects.js";
import { addVersion } from "../../../src/platform/subgraphs/versions.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { openDatabase } from "../../../src/store/open.js";
import { images } from "../compiler/shared-cache.js";
import { world } from "../database/databases.js";

const schema = `
  interface Event { id: Bytes! }
  type Transfer implements Event @entity(immutable: true) { id: Bytes!, amount: BigInt! }
  type PoolCreated implements Event @entity(immutable: true) { id: Bytes!, pool: Bytes! }
  type Tick @entity(timeseries: true) { id: Int8!, timestamp: Timestamp!, price: BigDecimal! }
  type Stats @aggregation(intervals: ["hour", "day"], source: "Tick") {
    id: Int8!
    timestamp: Timestamp!
    last: BigDecimal! @aggregate(fn: "last", arg: "price")
  }
`;

/** Subgraphs by name, each with version 1.0.0 and a build of its own. */
const subgraphs = [
  { name: "token-mainnet", network: "mainnet", schema },
  { name: "token-base", network: "base", schema },
  { name: "token-matic", network: "matic", schema: schema.replace("amount: BigInt!", "amount: BigDecimal!") },
];

/** Makes the database of a server that has indexed some subgraphs. @param folder where it is made, and which is returned */
export async function makeSubgraphFolder(folder: string): Promise<string> {
  const database = await openDatabase(folder, world, images);
  await migrate(database);
  await createProject(database, { id: "project_1", name: "tests" });
  for (const { name, network, schema: text } of subgraphs) {
    const deployment = `Qm${name.replace(/\W/g, "").padEnd(44, "x")}`;
    await openDeployment(database, { deployment, network, schema: text, startBlock: 0 });
    await addVersion(database, {
      project: "project_1",
      name,
      version: "1.0.0",
      deployment,
      description: null,
      network,
      bundle: new Uint8Array(),
      engine: "embedded",
    });
  }
  await database.close();
  return folder;
}
