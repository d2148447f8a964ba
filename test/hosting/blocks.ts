import { writtenSubgraph } from "../support/compiler/written-subgraph.js";
import { type Bundle, bundleOf } from "./hosted.js";

/**
 * A subgraph that runs a handler of `blocks.as` for every block.
 * @param more further lines of the manifest
 * @param handlers block handlers in its place, in YAML
 */
export async function blocksBundle(
  handler: string,
  more = "",
  handlers = `[{ handler: ${handler} }]`,
): Promise<Bundle> {
  const files = await writtenSubgraph({
    name: "Blocks",
    network: "mainnet",
    address: "0x0000000000000000000000000000000000000001",
    abi: "[]",
    schema: "type Note @entity(immutable: false) { id: ID!, text: String! }",
    entities: ["Note"],
    mapping: new URL("./blocks.as", import.meta.url),
    handlers: `blockHandlers: ${handlers}`,
    more,
  });
  return bundleOf({ files });
}
