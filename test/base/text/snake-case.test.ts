import { expect, it } from "vitest";
import { snakeCase } from "../../../src/base/text/snake-case.js";

it.each([
  // Measured with graph-node's own function.
  ["token0", "token_0"],
  ["URIUpdated", "uri_updated"],
  ["ERC20Token", "erc20_token"],
  ["ERC20", "erc20"],
  ["Pool2", "pool_2"],
  ["UniswapV2Pair", "uniswap_v2_pair"],
  ["AToken", "a_token"],
  ["tokenID", "token_id"],
  ["Transfer", "transfer"],
  ["Transfers", "transfers"],
  ["URI", "uri"],
  ["NFTMinted", "nft_minted"],
  ["ENSDomain", "ens_domain"],
  ["IDRegistered", "id_registered"],
  ["DAO", "dao"],
  ["Foo_Bar", "foo_bar"],
  ["Deposit_evt", "deposit_evt"],
  ["Foo_", "foo"],
  // Derived from its rules.
  ["_from", "from"],
  ["from_", "from"],
  ["timestamp_", "timestamp"],
  ["__a__b__", "a_b"],
  ["block$", "block"],
  ["a$b", "a_b"],
  ["tokenId", "token_id"],
  ["NftMinted", "nft_minted"],
  ["x1y", "x_1y"],
  ["A1B", "a1b"],
  ["a", "a"],
  ["_", ""],
  ["$$", ""],
  ["", ""],
])("the snake case of %j is %j", (name, want) => {
  expect(snakeCase(name)).toBe(want);
});
