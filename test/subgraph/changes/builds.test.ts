import { expect, it } from "vitest";
import { diffSubgraphs } from "../../../src/subgraph/changes/diff-subgraphs.js";
import { factsOfManifest } from "../../../src/subgraph/changes/manifest-facts.js";
import { readPublicSchema } from "../../../src/subgraph/changes/read-public-schema.js";
import { parseManifest } from "../../../src/subgraph/manifest/parse-manifest.js";

const manifest = `specVersion: 1.2.0
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: Token
    network: mainnet
    source: { address: "0x00000000000000000000000000000000000000A1", abi: Token, startBlock: 10 }
    mapping:
      file: ./token.wasm
      entities: [Transfer, Holder]
      eventHandlers:
        - { event: "Transfer(indexed address,address)", handler: onTransfer, topic1: ["0x01"] }
      blockHandlers:
        - { handler: onBlock, filter: { kind: polling, every: 10 } }
templates:
  - kind: file/ipfs
    name: Page
    network: mainnet
    mapping: { file: ./page.wasm, entities: [Page], handler: onPage }
`;
const schema = readPublicSchema(
  "type Transfer @entity { id: ID! } type Holder @entity { id: ID! } type Page @entity { id: ID! }",
);
const token = "Token at 0x00000000000000000000000000000000000000a1 on mainnet";

it.each<[string, readonly (readonly [string, string])[], Readonly<Record<string, string>>]>([
  ["nothing", [], {}],
  ["the case of an address", [["A1", "a1"]], {}],
  [
    "the topics of an event",
    [["0x01", "0x02"]],
    {
      token:
        'event Transfer(indexed address,address) now has the filter topic1 ["0x02"], previously topic1 ["0x01"]',
    },
  ],
  [
    "how often blocks are handled",
    [["every: 10", "every: 20"]],
    { token: "a block now has the filter polling 20, previously polling 10" },
  ],
  [
    "an event",
    [["Transfer(indexed address,address)", "Transfer(address,address)"]],
    {
      token: `event Transfer(address,address) of ${token} is now handled; event Transfer(indexed address,address) of ${token} is no longer handled`,
    },
  ],
  [
    "the code",
    [["./page.wasm", "./other.wasm"]],
    {
      page: "the code of the template Page on mainnet changed; a build does not say which of its entities that affects",
    },
  ],
  [
    "the network",
    [["network: mainnet\n    source", "network: base\n    source"]],
    { token: `${token.replace("mainnet", "base")} was added; ${token} was removed` },
  ],
])("the comparison finds the difference between two builds: %s", (_, changes, reasons) => {
  const now = changes.reduce((text, [before, after]) => text.replace(before, after), manifest);
  const [before, after] = [manifest, now].map((text) => ({
    schema,
    sources: factsOfManifest(parseManifest(text).toData(), (path) => path),
  })) as [Facts, Facts];
  const { depth, changes: schemaChanges, reindex } = diffSubgraphs(before, after);
  expect([depth, schemaChanges]).toEqual(["triggers", []]);
  const told = Object.fromEntries(
    reindex.map(({ entity, reasons: all }) => [entity, all.map(({ text }) => text).join("; ")]),
  );
  expect(told).toEqual({
    ...(reasons.token && { Holder: reasons.token, Transfer: reasons.token }),
    ...(reasons.page && { Page: reasons.page }),
  });
});

type Facts = Parameters<typeof diffSubgraphs>[0];
