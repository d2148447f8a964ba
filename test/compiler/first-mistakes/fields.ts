import { type Mistake, noting, onSwap } from "./project.js";

/** Mistakes in keys and values of fields. */
export const fields: readonly Mistake[] = [
  {
    name: "no type",
    config: noting({ a: "event.params.amount0" }),
    next: [['"a"', '"a int256"']],
  },
  {
    name: "no type, of an address",
    config: noting({ who: "event.params.sender" }),
    next: [['"who": "event.params.sender"', '"who address": "event.params.sender.toHexString()"']],
  },
  {
    name: "no type, of the block's time",
    config: noting({ time: "event.block.timestamp" }),
    next: [['"time"', '"time uint256"']],
  },
  {
    name: "the type first",
    config: noting({ "int256 a": "event.params.amount0" }),
    next: [['"int256 a"', '"a int256"']],
  },
  {
    name: "a colon before the type",
    config: noting({ "a: int256": "event.params.amount0" }),
    next: [['"a: int256"', '"a int256"']],
  },
  {
    name: "a required type as in a schema",
    config: noting({ "a BigInt!": "event.params.amount0" }),
    next: [['"a BigInt!"', '"a uint256"']],
  },
  {
    name: "the type of a schema",
    config: noting({ "a BigInt": "event.params.amount0" }),
    next: [["a BigInt", "a uint256"]],
  },
  { name: "ID", config: noting({ "a ID": '"x"' }), next: [["a ID", "a string"]] },
  {
    name: "BigDecimal",
    config: noting({ "a BigDecimal": "event.params.amount0.toBigDecimal()" }),
    next: [["a BigDecimal", "a fixed"]],
  },
  {
    name: "decimal",
    config: noting({ "a decimal": "event.params.amount0" }),
    next: [['"a decimal": "event.params.amount0"', '"a fixed": "event.params.amount0.toBigDecimal()"']],
  },
  {
    name: "a division by 1e18",
    config: noting({ "a decimal": "event.params.amount0 / 1e18" }),
    next: [
      [
        '"a decimal": "event.params.amount0 / 1e18"',
        '"a fixed": "event.params.amount0.toBigDecimal() / BigDecimal.fromString(\\"1000000000000000000\\")"',
      ],
    ],
  },
  {
    name: "a name with a hyphen",
    config: noting({ "amount-0 int256": "event.params.amount0" }),
    next: [["amount-0", "amount_0"]],
  },
  { name: "a number for a large one", config: noting({ "a uint256": 5 }), next: "fix" },
  { name: "a number for a small one", config: noting({ "a uint8": 5 }), next: "fix" },
  { name: "a number for a text", config: noting({ "a string": 5 }), next: "fix" },
  { name: "a number for a decimal", config: noting({ "a fixed": 0.5 }), next: "fix" },
  { name: "a truth", config: noting({ "a bool": true }), next: "fix" },
  { name: "a number that is an expression already", config: noting({ "a uint256": "1" }), next: "fix" },
  {
    name: "a text without quotes of its own",
    config: noting({ "kind string": "swap" }),
    next: [['"kind string": "swap"', '"kind string": "\\"swap\\""']],
  },
  {
    name: "an id that is an address",
    config: onSwap({
      entities: { Note: [{ id: "event.params.sender", mapping: { "a int256": "event.params.amount0" } }] },
    }),
    next: "fix",
  },
  { name: "an address as a text", config: noting({ "a string": "event.params.sender" }), next: "fix" },
  { name: "a hash as a text", config: noting({ "a string": "event.transaction.hash" }), next: "fix" },
  {
    name: "a list of addresses",
    config: noting({ "a address[]": "[event.params.sender, event.params.recipient]" }),
    next: "fix",
  },
  {
    name: "a time as a small number",
    config: noting({ "t int32": "event.block.timestamp" }),
    next: [["event.block.timestamp", "event.block.timestamp.toI32()"]],
  },
];
