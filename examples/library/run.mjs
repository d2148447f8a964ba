// After `npm run build` at the root of the repository, with a node: node examples/library/run.mjs https://…
import { build, createMemoryStore, createNodeHost, openChain, plainEntity, readBuilt, run } from "graphloom";

const [url] = process.argv.slice(2);
if (!url) throw new Error("Say which node to ask: node examples/library/run.mjs <url>");

const { files } = await build("subgraph.json", createNodeHost({ cwd: import.meta.dirname }));
const built = readBuilt({ manifest: "build/subgraph.yaml", files });
const store = createMemoryStore(built);
const first = Math.min(...built.dataSources.map(({ startBlock }) => startBlock));
const { failure, progress } = await run(built, openChain(url), store, { to: first + 200 });
if (failure) throw failure.error;
console.log(`${progress.handlers} triggers up to block ${progress.block}`);
for (const entity of (await store.all("Transfer")).slice(-5)) console.log(plainEntity(entity));
