import { address, type Mistake, noting, onSwap, pool } from "./project.js";

const instance = { abi: "Pool", address, startBlock: 1, chain: "mainnet" };
const stored = { entities: { Note: { "a int256": "event.params.amount0" } } };
const line = (value: unknown): string => JSON.stringify(value);

/** Lists in place of objects, objects in place of lists, and settings one level too high or too low. */
export const shapes: readonly Mistake[] = [
  {
    name: "ABIs in a list",
    config: line(pool({}, { abis: [{ name: "Pool", path: "./abis/Pool.json" }] })),
    next: [['[{"name":"Pool","path":"./abis/Pool.json"}]', '{ "Pool": { "path": "./abis/Pool.json" } }']],
  },
  {
    name: "ABIs in a list of files",
    config: line(pool({}, { abis: ["./abis/Pool.json"] })),
    next: [['["./abis/Pool.json"]', '{ "Pool": { "path": "./abis/Pool.json" } }']],
  },
  {
    name: "the path of an ABI as it is",
    config: pool({}, { abis: { Pool: "./abis/Pool.json" } }),
    next: [['"./abis/Pool.json"', '{ "path": "./abis/Pool.json" }']],
  },
  {
    name: "one instance without a list",
    config: line({ ...pool(), instances: instance }),
    next: [[line(instance), `[${line(instance)}]`]],
  },
  {
    name: "instances by name",
    config: line({ ...pool(), instances: { Pool: { address, startBlock: 1, chain: "mainnet" } } }),
    next: [
      ['{"Pool":{"address"', '[{"abi":"Pool","address"'],
      ['"mainnet"}}', '"mainnet"}]'],
    ],
  },
  {
    name: "several addresses of one instance",
    config: line(pool({ address: [address, address.replace("0x1", "0x2")] })),
    next: [
      [
        `{"abi":"Pool","address":["${address}","${address.replace("0x1", "0x2")}"]`,
        `{"abi":"Pool","address":"${address}"`,
      ],
      [
        '"chain":"mainnet"}',
        `"chain":"mainnet"},{"abi":"Pool","address":"${address.replace("0x1", "0x2")}","startBlock":12369621,"chain":"mainnet"}`,
      ],
    ],
  },
  {
    name: "handlers in a list",
    config: line(pool({ enrich: { handlers: [{ event: "Swap", ...stored }] } })),
    next: [
      ['[{"event":"Swap",', '{"Swap":{'],
      ['"event.params.amount0"}}}]', '"event.params.amount0"}}}}'],
    ],
  },
  {
    name: "calls in a list",
    config: line(noting({ "a uint128": "calls.liquidity" }, [{ name: "liquidity" }])),
    next: [['[{"name":"liquidity"}]', '{"liquidity":{"name":"liquidity"}}']],
  },
  {
    name: "calls in a list, and read by another name",
    config: line(noting({ "a uint128": "calls.liq" }, [{ name: "liquidity" }])),
    next: [
      ['[{"name":"liquidity"}]', '{"liquidity":{"name":"liquidity"}}'],
      ['"calls.liq"', '"calls.liquidity"'],
    ],
  },
  {
    name: "calls as names",
    config: line(noting({ "a uint128": "calls.liquidity" }, ["liquidity"])),
    next: [['["liquidity"]', '{"liquidity":{"name":"liquidity"}}']],
  },
  {
    name: "a call as a name",
    config: line(noting({ "a uint128": "calls.liq" }, { liq: "liquidity" })),
    next: [['{"liq":"liquidity"}', '{"liq":{"name":"liquidity"}}']],
  },
  {
    name: "entities in a list",
    config: line(onSwap({ entities: [{ name: "Note", mapping: { "a int256": "event.params.amount0" } }] })),
    next: [
      ['[{"name":"Note","mapping":{', '{"Note":{'],
      ['"event.params.amount0"}}]', '"event.params.amount0"}}'],
    ],
  },
  {
    name: "fields of an item without mapping",
    config: onSwap({ entities: { Note: [{ id: '"x"', "a int256": "event.params.amount0" }] } }),
    next: "fix",
  },
  { name: "a signature under enrich", config: pool({ enrich: { Swap: stored } }), next: "fix" },
  {
    name: "enrichments beside the instances",
    config: line({ ...pool(), enrichments: { handlers: { Swap: stored } } }),
    next: [
      [`,"enrichments":${line({ handlers: { Swap: stored } })}`, ""],
      ['"chain":"mainnet"', `"chain":"mainnet","enrich":${line({ handlers: { Swap: stored } })}`],
    ],
  },
  {
    name: "arguments in a list",
    config: line(
      noting(
        { "q uint256": "calls.q" },
        { q: { name: "quote", params: ["event.params.sender", "event.params.amount0"] } },
      ),
    ),
    next: [['["event.params.sender","event.params.amount0"]', '"event.params.sender, event.params.amount0"']],
  },
  {
    name: "imports as one",
    config: pool({ enrich: { options: { imports: "BigInt" }, handlers: { Swap: stored } } }),
    next: [['"BigInt"', '["BigInt"]']],
  },
  {
    name: "a call that is needed, not in a list",
    config: line(
      noting(
        { "a uint128": "calls.liquidity" },
        { symbol: { name: "symbol" }, liquidity: { name: "liquidity", depends_on: "symbol" } },
      ),
    ),
    next: [['"depends_on":"symbol"', '"depends_on":["symbol"]']],
  },
];
