// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are AssemblyScript expressions
import { type Mistake, noting, type Part, pool } from "./project.js";

const liquidity = { liquidity: { name: "liquidity" } };
const onCollect = (note: Part): Part =>
  pool(
    { enrich: { handlers: { "collect(address,uint128)": { entities: { Note: note } } } } },
    { enableCallHandlers: true },
  );

/** Mistakes with names and methods of contracts, of other libraries and of hand-written mappings. */
export const expressions: readonly Mistake[] = [
  { name: "a statement", config: noting({ "a int256": "return event.params.amount0;" }), next: "fix" },
  { name: "a template's braces", config: noting({ "a int256": "${event.params.amount0}" }), next: "fix" },
  {
    name: "and",
    config: noting({ "a bool": "event.params.amount0 > event.params.amount1 and true" }),
    next: "fix",
  },
  {
    name: "a constant of mappings",
    config: noting({ "a bool": "event.params.amount0 > ZERO_BI" }),
    next: "fix",
  },
  {
    name: "the sender of the transaction",
    config: noting({ "a string": "event.transaction.sender.toHexString()" }),
    next: "fix",
  },
  { name: "the contract", config: noting({ "a string": "contract.address.toHexString()" }), next: "fix" },
  { name: "a power of ten", config: noting({ "a int256": "event.params.amount0 / 10 ** 18" }), next: "fix" },
  { name: "a parameter alone", config: noting({ "a int256": "amount0" }), next: "fix" },
  { name: "parameters alone", config: noting({ "a int256": "amount0 + amount1" }), next: "fix" },
  { name: "a parameter of params", config: noting({ "a int256": "params.amount0" }), next: "fix" },
  { name: "a parameter of the event", config: noting({ "a int256": "event.amount0" }), next: "fix" },
  { name: "a parameter of args", config: noting({ "a int256": "event.args.amount0" }), next: "fix" },
  {
    name: "a parameter of parameters",
    config: noting({ "a int256": "event.parameters.amount0" }),
    next: "fix",
  },
  {
    name: "a parameter of returnValues",
    config: noting({ "a int256": "event.returnValues.amount0" }),
    next: "fix",
  },
  {
    name: "a slip in a parameter",
    config: noting({ "a int256": "event.params.amonut0" }),
    next: [["amonut0", "amount0"]],
  },
  { name: "a parameter in brackets", config: noting({ "a int256": "event.params['amount0']" }), next: "fix" },
  { name: "the block alone", config: noting({ "a uint256": "block.number" }), next: "fix" },
  { name: "the transaction alone", config: noting({ "a bytes32": "tx.hash" }), next: "fix" },
  {
    name: "the origin of the transaction",
    config: noting({ "a string": "tx.origin.toHexString()" }),
    next: "fix",
  },
  { name: "msg.sender", config: noting({ "a string": "msg.sender.toHexString()" }), next: "fix" },
  { name: "msg.value", config: noting({ "a uint256": "msg.value" }), next: "fix" },
  { name: "blockNumber of the event", config: noting({ "a uint256": "event.blockNumber" }), next: "fix" },
  {
    name: "transactionHash of the event",
    config: noting({ "a bytes32": "event.transactionHash" }),
    next: "fix",
  },
  { name: "an input of a call alone", config: onCollect({ "a uint128": "amount" }), next: "fix" },
  { name: "params of a call", config: onCollect({ "a uint128": "call.params.amount" }), next: "fix" },
  {
    name: "the event in a handler of calls",
    config: onCollect({ "a uint128": "event.params.amount" }),
    next: "fix",
  },
  {
    name: "msg.sender of a call",
    config: onCollect({ "a string": "msg.sender.toHexString()" }),
    next: "fix",
  },
  { name: "a call alone", config: noting({ "a uint128": "liquidity" }, liquidity), next: "fix" },
  {
    name: "a call as a function",
    config: noting({ "a uint128": "calls.liquidity()" }, liquidity),
    next: "fix",
  },
  {
    name: "a call alone as a function",
    config: noting({ "a uint128": "liquidity()" }, liquidity),
    next: "fix",
  },
  {
    name: "a function of the contract",
    config: noting({ "a uint128": "contract.liquidity()" }, liquidity),
    next: "fix",
  },
  {
    name: "a bound contract",
    config: noting({ "a uint128": "Pool.bind(event.address).liquidity()" }, liquidity),
    next: [["Pool.bind(event.address).liquidity()", "calls.liquidity"]],
  },
  {
    name: "a function of the contract that is no call yet",
    config: JSON.stringify(noting({ "a uint128": "contract.liquidity()" })),
    next: [
      ["contract.liquidity()", "calls.liquidity"],
      ['"Swap":{', '"Swap":{"calls":{"liquidity":{"name":"liquidity"}},'],
    ],
  },
  {
    name: "a call that is not declared",
    config: JSON.stringify(noting({ "a uint128": "calls.liquidity" })),
    next: [['"Swap":{', '"Swap":{"calls":{"liquidity":{"name":"liquidity"}},']],
  },
  { name: "Math.abs", config: noting({ "a uint256": "Math.abs(event.params.amount0)" }), next: "fix" },
  {
    name: "String(…)",
    config: noting({ "a string": "String(event.params.amount0)" }),
    next: [["String(event.params.amount0)", "event.params.amount0.toString()"]],
  },
  {
    name: "String(…) of an address",
    config: noting({ "a string": "String(event.params.sender)" }),
    next: [["String(event.params.sender)", "event.params.sender.toHexString()"]],
  },
  { name: "a division by a number", config: noting({ "a int256": "event.params.amount0 / 2" }), next: "fix" },
  {
    name: "a comparison with a number",
    config: noting({ "a bool": "event.params.amount0 > 0" }),
    next: "fix",
  },
  {
    name: "add of another library",
    config: noting({ "a int256": "event.params.amount0.add(event.params.amount1)" }),
    next: "fix",
  },
  { name: "BigInt of a text", config: noting({ "a int256": 'BigInt("5")' }), next: "fix" },
  {
    name: "an optional chain",
    config: noting({ "a int256": "event.params?.amount0" }),
    next: [["event.params?.amount0", "event.params.amount0"]],
  },
  {
    name: "a default after null",
    config: noting({ "a uint128": "calls.liquidity ?? BigInt.zero()" }, liquidity),
    next: [
      ["calls.liquidity ?? BigInt.zero()", "calls.liquidity === null ? BigInt.zero() : calls.liquidity!"],
    ],
  },
];
