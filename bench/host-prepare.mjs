// Fills a local chain with the transfers of three tokens, and prints the files of a subgraph of them: paths and base64.
// Run by bench/host.mjs: node bench/host-prepare.mjs <url> <transfers>
import { build, createNodeHost } from "../dist/exports/index.js";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { compileToken, fill, world } from "./transfers.mjs";

const [url, count] = process.argv.slice(2);
const client = createRpcClient(url, world);
const token = await compileToken();
const addresses = [];
for (let one = 0; one < 3; one++)
  addresses.push((await fill(client, token, Number(count) / 3)).toLowerCase());
const config = JSON.stringify({
  version: "1",
  name: "bench",
  abis: { Token: token.abi },
  instances: addresses.map((address) => ({ abi: "Token", address, startBlock: 0, chain: "mainnet" })),
});
const stdin = (async function* () {
  yield Buffer.from(config);
})();
const { ok, files } = await build("-", createNodeHost({ cwd: process.cwd(), stdin }));
if (!ok) throw new Error("the benchmark's subgraph does not build");
const all = [...files].map(([path, content]) => [path, Buffer.from(content).toString("base64")]);
process.stdout.write(JSON.stringify(all), () => process.exit(0));
