import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { pluralOf } from "../../../src/base/text/plural.js";
import { queryNames } from "../../../src/base/text/query-names.js";

// Measured with graph-node's own functions.
it.each([
  ["Transfer", "transfer", "transfers"],
  ["Transfers", "transfers", "transfers_collection"],
  ["Stats", "stats", "stats_collection"],
  ["News", "news", "news_collection"],
  ["Gas", "gas", "gas_collection"],
  ["Keys", "keys", "keys_collection"],
  ["Status", "status", "statuses"],
  ["Address", "address", "addresses"],
  ["Process", "process", "processes"],
  ["Batch", "batch", "batches"],
  ["Series", "series", "series_collection"],
  ["Metadata", "metadata", "metadata_collection"],
  ["Alias", "alias", "alias_collection"],
  ["PoolConfigs", "poolConfigs", "poolConfigs_collection"],
  ["Bonus", "bonus", "bonuses"],
  ["Bus", "bus", "buses"],
  ["Analysis", "analysis", "analyses"],
  ["Data", "data", "datas"],
  ["Person", "person", "persons"],
  ["Child", "child", "childs"],
  ["Hero", "hero", "heros"],
  ["Quiz", "quiz", "quizs"],
  ["Index", "index", "indexes"],
  ["Vertex", "vertex", "vertexes"],
  ["Matrix", "matrix", "matrixes"],
  ["Category", "category", "categories"],
  ["Proxy", "proxy", "proxies"],
  ["Money", "money", "monies"],
  ["Day", "day", "days"],
  ["Key", "key", "keys"],
  ["Leaf", "leaf", "leaves"],
  ["Half", "half", "halves"],
  ["Wolf", "wolf", "wolves"],
  ["Knife", "knife", "knifes"],
  ["Life", "life", "lifes"],
  ["URI", "uri", "uris"],
  ["URIUpdated", "uriupdated", "uriupdateds"],
  ["NFTMinted", "nftminted", "nftminteds"],
  ["ENSDomain", "ensdomain", "ensdomains"],
  ["IDRegistered", "idregistered", "idregistereds"],
  ["AToken", "atoken", "atokens"],
  ["DAO", "dao", "daos"],
  ["ERC20", "erc20", "erc20S"],
  ["ERC20Token", "erc20Token", "erc20Tokens"],
  ["Pool2", "pool2", "pool2S"],
  ["UniswapV2Pair", "uniswapV2Pair", "uniswapV2Pairs"],
  ["Foo_Bar", "fooBar", "fooBars"],
  ["Deposit_evt", "depositEvt", "depositEvts"],
  ["Foo_", "foo", "fooS"],
  ["OwnershipTransferred", "ownershipTransferred", "ownershipTransferreds"],
  ["ApprovalForAll", "approvalForAll", "approvalForAlls"],
  ["__Foo", "foo", "foos"],
])("%s is queried as %s and %s", (type, singular, plural) => {
  expect(queryNames(type)).toEqual({ singular, plural });
});

// One word for each of graph-node's rules, in order, and the words without a rule.
it.each([
  ["gateaux", "gateaux"],
  ["Grandchild", "Grandchildren"],
  ["children", "children"],
  ["Salesperson", "Salespeople"],
  ["people", "people"],
  ["Dormouse", "Dormice"],
  ["lice", "lice"],
  ["Subindex", "Subindices"],
  ["appendix", "appendices"],
  ["Fox", "Foxes"],
  ["Boxes", "Boxes"],
  ["Buzz", "Buzzes"],
  ["attorney", "attorneys"],
  ["Soliloquy", "Soliloquies"],
  ["Loaf", "Loaves"],
  ["Penknife", "Penknives"],
  ["Basis", "Bases"],
  ["phenomenon", "phenomena"],
  ["Polyhedra", "Polyhedra"],
  ["Substratum", "Substrata"],
  ["Metadata", "Metadata"],
  ["Potato", "Potatoes"],
  ["seraph", "seraphim"],
  ["Subalga", "Subalgae"],
  ["octopus", "octopi"],
  ["Octopus", "Octopuses"],
  ["Locus", "Locuses"],
  ["focus", "foci"],
  ["Christmas", "Christmas"],
  ["Menu", "Menus"],
  ["menus", "menus"],
  ["Atlas", "Atlases"],
  ["axis", "axes"],
  ["Chinese", "Chinese"],
  ["Bets", "Bets"],
  ["Bet", "Bets"],
  ["ox", "oxen"],
  ["Ox", "Oxes"],
  ["goose", "geese"],
  ["Mongoose", "Mongooses"],
  ["money", "money"],
  ["sheep", "sheep"],
  ["Sheep", "Sheeps"],
  ["", "s"],
])("the plural of %s is %s", (one, several) => {
  expect(pluralOf(one)).toBe(several);
});

it("queryNames derives every name that a graph-node derived", () => {
  const lines = readFileSync(new URL("query-names.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const names: readonly (readonly [string, string, string])[] = lines.map((line) => JSON.parse(line));
  expect(names.length).toBe(961);
  const wrong = names.filter(([type, singular, plural]) => {
    const own = queryNames(type);
    return own.singular !== singular || own.plural !== plural;
  });
  expect(wrong).toEqual([]);
});
