// Sends the webhooks of a database until it is killed: node sender-child.mjs <database> <deployment>
import { createNodeWorld } from "../../../dist/node/world.js";
import { findDeployment, layoutOf } from "../../../dist/platform/catalog/deployments.js";
import { openDatabase } from "../../../dist/platform/database/open-database.js";
import { TableFeed } from "../../../dist/platform/tables/table-feed.js";
import { createWebhookSender } from "../../../dist/platform/webhooks/sender.js";

const [address, build] = process.argv.slice(2);
const world = createNodeWorld();
const database = await openDatabase(address, world);
const deployment = await findDeployment(database, build);
const layout = layoutOf(deployment);
const feed = (reader, tables) =>
  new TableFeed({ database, deployment: deployment.id, layout, reader, tables });
const engine = { name: "embedded", storage: async () => ({ database, deployment, layout, feed }) };
const hosting = { engines: [engine], engine: () => engine, onChange: () => () => undefined };
const platform = {
  ...{ database, world, hosting },
  settings: { address: () => "", isLoopback: true, nodes: new Map(), version: "1.2.3" },
  secretKey: Buffer.alloc(32, 7),
};
const limits = { second: 20, poll: 100, grace: 300, hold: 500, longestWait: 300 };
const report = (what, error) => console.error(what, error);
await createWebhookSender(platform, { report, limits }).start();
console.log("started");
