import { address, files, type Mistake, noting, onSwap, pool } from "./project.js";

const checksummed = "0x1f98431c8Ad98523631AE4a59f267346ea31F985";
const mixed = "0x1F98431c8aD98523631AE4a59f267346ea31F985";

/** Mistakes in calls, their results and their arguments. */
export const calls: readonly Mistake[] = [
  {
    name: "no name",
    config: noting({ "a uint128": "calls.liquidity" }, { liquidity: {} }),
    next: [['"liquidity": {}', '"liquidity": { "name": "liquidity" }']],
  },
  {
    name: "no name, but a slip of it",
    config: noting({ "a uint128": "calls.liqudity" }, { liqudity: { required: true } }),
    next: [['"required": true', '"required": true, "name": "liquidity"']],
  },
  {
    name: "no name, but that of another ABI",
    config: onSwap(
      {
        calls: { decimals: { abi: "ERC20", source: "event.params.sender" } },
        entities: { Note: { "a uint8": "calls.decimals" } },
      },
      { abis: files("Pool", "ERC20") },
    ),
    next: [['"abi": "ERC20",\n', '"abi": "ERC20", "name": "decimals",\n']],
  },
  { name: "method", config: noting({ "a uint128": "calls.l" }, { l: { method: "liquidity" } }), next: "fix" },
  {
    name: "a slip in the function",
    config: noting({ "a uint128": "calls.l" }, { l: { name: "liquidty" } }),
    next: "fix",
  },
  {
    name: "args",
    config: noting(
      { "b uint256": "calls.bal" },
      { bal: { name: "balanceOf", args: ["event.params.sender"] } },
    ),
    next: [
      [
        '"args": [\n                  "event.params.sender"\n                ]',
        '"params": "event.params.sender"',
      ],
    ],
  },
  {
    name: "an argument too few",
    config: noting(
      { "a int256": "event.params.amount0", "q uint256": "calls.q" },
      { q: { name: "quote", params: "event.params.sender" } },
    ),
    next: [['"event.params.sender"', '"event.params.sender, event.params.amount0"']],
  },
  {
    name: "an address without quotes",
    config: noting({ "b uint256": "calls.b" }, { b: { name: "balanceOf", params: address } }),
    next: "fix",
  },
  {
    name: "a source in quotes, whose checksum is wrong",
    config: noting({ "a uint128": "calls.l" }, { l: { name: "liquidity", source: `"${mixed}"` } }),
    next: [[`"\\"${mixed}\\""`, `"Address.fromString(\\"${checksummed}\\")"`]],
  },
  {
    name: "an output as a member",
    config: noting({ "t int24": "calls.slot0.tick" }, { slot0: { name: "slot0", required: true } }),
    next: "fix",
  },
  {
    name: "an output as a member of what may be null",
    config: noting({ "t int24": "calls.slot0.tick" }, { slot0: { name: "slot0" } }),
    next: [
      ["calls.slot0.tick", "calls.slot0!.getTick()"],
      ['"name": "slot0"', '"name": "slot0", "required": true'],
    ],
  },
  {
    name: "an output without a name",
    config: noting({ "r uint112": "calls.r._reserve0" }, { r: { name: "getReserves" } }),
    next: [
      ["calls.r._reserve0", "calls.r!.getValue0()"],
      ['"name": "getReserves"', '"name": "getReserves", "required": true'],
    ],
  },
  {
    name: "an address that may be null",
    config: noting({ "t address": "calls.token0" }, { token0: { name: "token0" } }),
    next: [
      ['"calls.token0"', '"calls.token0.toHexString()"'],
      ['"name": "token0"', '"name": "token0", "required": true'],
    ],
  },
  {
    name: "a text of what may be null",
    config: noting({ "t string": "calls.token0.toHexString()" }, { token0: { name: "token0" } }),
    next: [['"name": "token0"', '"name": "token0", "required": true']],
  },
  {
    name: "value of a result, as in mappings",
    config: noting({ "a uint128": "calls.liquidity.value" }, { liquidity: { name: "liquidity" } }),
    next: "fix",
  },
  {
    name: "try_ before the function",
    config: noting({ "a uint128": "calls.l" }, { l: { name: "try_liquidity" } }),
    next: "fix",
  },
  {
    name: "a slip in the name of a call",
    config: noting({ "a uint128": "calls.liqudity" }, { liquidity: { name: "liquidity" } }),
    next: "fix",
  },
  {
    name: "another name of a call",
    config: noting({ "a uint128": "calls.l" }, { liquidity: { name: "liquidity" } }),
    next: [['"calls.l"', '"calls.liquidity"']],
  },
  {
    name: "a token that is read before it is asked for",
    config: JSON.stringify(
      onSwap(
        {
          calls: {
            d: { abi: "ERC20", name: "decimals", source: "calls.token0" },
            token0: { name: "token0" },
          },
          entities: { Note: { "d uint8": "calls.d" } },
        },
        { abis: files("Pool", "ERC20") },
      ),
    ),
    next: [
      [',"token0":{"name":"token0"}', ""],
      ['"calls":{', '"calls":{"token0":{"name":"token0","required":true},'],
    ],
  },
  {
    name: "an ABI that is not declared",
    config: noting(
      { "d uint8": "calls.d" },
      { d: { abi: "ERC20", name: "decimals", source: "event.params.sender" } },
    ),
    next: [
      ['"Pool": {\n      "path"', '"ERC20": { "path": "./abis/ERC20.json" },\n    "Pool": {\n      "path"'],
    ],
  },
  {
    name: "a handler as in mappings",
    config: pool({
      enrich: { handlers: { handleSwap: { entities: { N: { "a int256": "event.params.amount0" } } } } },
    }),
    next: "fix",
  },
  {
    name: "a result that is compared",
    config: noting(
      { "a uint128": "calls.l" },
      { l: { name: "liquidity", conditions: { post: "result > 0" } } },
    ),
    next: "fix",
  },
  {
    name: "arguments by name",
    config: JSON.stringify(
      noting(
        { "b uint256": "calls.b" },
        { b: { name: "balanceOf", params: { account: "event.params.sender" } } },
      ),
    ),
    next: [['{"account":"event.params.sender"}', '"event.params.sender"']],
  },
  {
    name: "a condition alone",
    config: JSON.stringify(
      noting(
        { "a uint128": "calls.l" },
        { l: { name: "liquidity", conditions: "event.params.amount0.gt(event.params.amount1)" } },
      ),
    ),
    next: [
      [
        '"event.params.amount0.gt(event.params.amount1)"',
        '{ "pre": "event.params.amount0.gt(event.params.amount1)" }',
      ],
    ],
  },
  {
    name: "a slip in the event",
    config: pool({
      enrich: { handlers: { Swapp: { entities: { N: { "a int256": "event.params.amount0" } } } } },
    }),
    next: "fix",
  },
  {
    name: "an event with other types",
    config: pool({
      enrich: {
        handlers: {
          "Swap(address,address,uint256,uint256)": {
            entities: { N: { "a int256": "event.params.amount0" } },
          },
        },
      },
    }),
    next: "fix",
  },
];
