import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { compileContract } from "../../support/chain/solidity.js";
import { useFolder } from "../../support/folder.js";
import { judge, judgedBuild } from "../../support/judge/judge.js";

/** Tokens whose metadata lie in IPFS; a claim has the chain write what a file should. */
export const nftContract = compileContract(
  `contract Nft {
    event Minted(uint256 id, string uri);
    event Claimed(string id);
    function mint(uint256 id, string calldata uri) external { emit Minted(id, uri); }
    function claim(string calldata id) external { emit Claimed(id); }
  }`,
  "Nft",
);

const text = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
const folder = useFolder({
  "subgraph.yaml": text("subgraph.yaml"),
  "schema.graphql": text("schema.graphql"),
  "src/mapping.ts": text("mapping.as"),
  "abis/Nft.json": JSON.stringify(nftContract.abi),
});

/** A build by the peer's command line. */
export interface NftBuild {
  readonly files: ReadonlyMap<string, string | Uint8Array>;
}

/** Builds the subgraph of tokens with `graph codegen` and `graph build`. */
export async function buildNft(): Promise<NftBuild> {
  const { ok, output, build } = await judge(folder, { build: judgedBuild });
  expect(ok, output).toBe(true);
  const files = [...build].map(
    ([path, bytes]) => [path, path.endsWith(".wasm") ? bytes : Buffer.from(bytes).toString()] as const,
  );
  return { files: new Map(files) };
}

/** The build, listening to a contract. */
export function listeningTo({ files }: NftBuild, address: string): NftBuild {
  const manifest = String(files.get("build/subgraph.yaml"));
  const place = "0x00000000000000000000000000000000000000c1";
  return { files: new Map([...files, ["build/subgraph.yaml", manifest.replace(place, address)]]) };
}
