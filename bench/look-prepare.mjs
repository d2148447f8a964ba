// Fills a local chain for `look.mjs`, and prints the files of three subgraphs of it as base64: a large one with 200 entity
// types, a small one, and one that fails at its first event. Run: node bench/look-prepare.mjs <url> <blocks>
import { build, createNodeHost } from "../dist/exports/index.js";
import { createRpcClient } from "../dist/runtime/chain/rpc/rpc-client.js";
import { world } from "./local-chain.mjs";
import { compileEmitter, eventsOf, kinds, mineEvents } from "./look-chain.mjs";

const [url, blocks] = process.argv.slice(2);
const client = createRpcClient(url, world);
const address = await compileEmitter(client);
for (let block = 0; block < Number(blocks); block++) await mineEvents(client, address, 200);
await client.request("evm_setTime", [Math.floor(Date.now() / 1000)]);

async function bundleOf(name, abi, enrich) {
  const config = JSON.stringify({
    version: "1",
    name,
    abis: { Emitter: abi },
    instances: [{ abi: "Emitter", address, startBlock: 0, chain: "mainnet", ...(enrich && { enrich }) }],
  });
  const stdin = (async function* () {
    yield Buffer.from(config);
  })();
  const { ok, files, diagnostics } = await build("-", createNodeHost({ cwd: process.cwd(), stdin }));
  if (!ok) throw new Error(`${name} does not build: ${JSON.stringify(diagnostics)}`);
  return [...files].map(([path, content]) => [path, Buffer.from(content).toString("base64")]);
}

const first = "Kind0(address,uint256)";
const all = {
  address,
  // The enrichment is the last of the entity types, and logs a line for each event of the first kind.
  large: await bundleOf("large", eventsOf(0, kinds), {
    options: { debugging: true },
    handlers: { [first]: { entities: { Note: { "amount uint256": "event.params.amount" } } } },
  }),
  small: await bundleOf("small", eventsOf(1, 2)),
  failing: await bundleOf("failing", eventsOf(0, 1), {
    handlers: {
      [first]: { entities: { Share: { "share uint256": "event.params.amount.div(BigInt.zero())" } } },
    },
  }),
};
process.stdout.write(JSON.stringify(all), () => process.exit(0));
