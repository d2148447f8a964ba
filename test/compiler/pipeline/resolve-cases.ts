import { event } from "../abi/entries.js";
import { address, withHandler, withHandlers } from "./harness.js";

/** An invalid configuration, and every finding about it. */
export interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly want: readonly string[];
}

const callX = (call: object, more: object = {}): Case["files"] =>
  withHandler({ calls: { x: call, ...more } });
const entities = (value: object): Case["files"] => withHandler({ entities: value });

const data = { abi: "Vault", address, startBlock: 1, chain: "mainnet" };
const project = (instances: readonly object[], abis: object, more: object = {}): Case["files"] => ({
  "c.json": JSON.stringify({ version: "1", ...more, abis, instances }, null, 1),
});

export const resolveCases: readonly Case[] = [
  // Calls
  {
    name: "a missing function",
    files: callX({ name: "balanceOff" }),
    want: ['error unknown-function 7:34 "balanceOff"'],
  },
  {
    name: "a payable function",
    files: callX({ name: "pay" }),
    want: ['error function-not-callable 7:34 "pay"'],
  },
  {
    name: "a function without a result",
    files: callX({ name: "poke", params: "event.params.amount" }),
    want: ['error function-not-callable 7:34 "poke"'],
  },
  {
    name: "overloads that the number does not decide",
    files: callX({ name: "twice", params: "event.params.who" }),
    want: ['error ambiguous-function 7:34 "twice"'],
  },
  {
    name: "a missing signature",
    files: callX({ name: "twice(bool)", params: "true" }),
    want: ['error unknown-signature 7:34 "twice(bool)"'],
  },
  {
    name: "too few arguments",
    files: callX({ name: "balanceOf" }),
    want: ['error wrong-argument-count 7:34 "balanceOf"'],
  },
  {
    name: "too many arguments",
    files: callX({ name: "total", params: "1, 2" }),
    want: ["error wrong-argument-count 7:52 1, 2"],
  },
  {
    name: "a missing dependency",
    files: callX({ name: "total", depends_on: ["y"] }),
    want: ['error unknown-call 7:56 "y"'],
  },
  {
    name: "a dependency on itself",
    files: callX({ name: "total", depends_on: ["x"] }),
    want: ['error call-order 7:56 "x"'],
  },
  {
    name: "a dependency on a later call",
    files: callX({ name: "total", depends_on: ["y"] }, { y: { name: "symbol" } }),
    want: ['error call-order 7:56 "y"'],
  },
  {
    name: "a word as the name of a call",
    files: withHandler({ calls: { class: { name: "total" } } }),
    want: ['error reserved-call-name 7:22 "class"'],
  },
  {
    name: "a call whose name hides whether a different one reverted",
    files: callX({ name: "total" }, { x_reverted: { name: "total" } }),
    want: ['error reserved-call-name 7:43 "x_reverted"'],
  },
  {
    name: "a missing import",
    files: withHandlers({ Deposit: {} }, { options: '"options": { "imports": ["BigInt", "Bigint"] }, ' }),
    want: ['error unknown-import 6:54 "Bigint"'],
  },
  // References
  {
    name: "an unknown call",
    files: entities({ A: { "a uint256": "calls.nope" } }),
    want: ["error unknown-call 7:49 nope"],
  },
  {
    name: "an unknown call, in a list of arguments",
    files: callX({ name: "twice", params: "event.params.who, calls.y" }),
    want: ["error unknown-call 7:76 y"],
  },
  {
    name: "a required call before it is made",
    files: callX({ name: "large", params: "calls.y" }, { y: { name: "total", required: true } }),
    want: ["error call-not-made-yet 7:58 y"],
  },
  {
    name: "a different call before it is made",
    files: callX({ name: "total", conditions: { pre: "calls.y === null" } }, { y: { name: "total" } }),
    want: ["warning call-not-made-yet 7:69 y"],
  },
  {
    name: "a call's own result in its condition before",
    files: callX({ name: "total", conditions: { pre: "calls.x_reverted" } }),
    want: ["warning call-not-made-yet 7:69 x_reverted"],
  },
  {
    name: "result in the condition before",
    files: callX({ name: "total", conditions: { pre: "result.reverted" } }),
    want: ["error result-out-of-scope 7:63 result"],
  },
  {
    name: "result in a field",
    files: entities({ A: { "a bool": "!result.reverted" } }),
    want: ["error result-out-of-scope 7:41 result"],
  },
  {
    name: "call in an event handler",
    files: entities({ A: { "a address": "call.to.toHexString()" } }),
    want: ["error wrong-trigger 7:43 call"],
  },
  {
    name: "event in a call handler",
    files: withHandlers(
      { poke: { entities: { A: { "a address": "event.address.toHexString()" } } } },
      { top: ' "enableCallHandlers": true,' },
    ),
    want: ["error wrong-trigger 7:40 event"],
  },
  {
    name: "an unknown parameter",
    files: entities({ A: { "a uint256": "event.params.amout" } }),
    want: ["error unknown-parameter 7:56 amout"],
  },
  {
    name: "an unknown input",
    files: withHandlers(
      { poke: { entities: { A: { "a uint256": "call.inputs.wad" } } } },
      { top: ' "enableCallHandlers": true,' },
    ),
    want: ["error unknown-parameter 7:52 wad"],
  },
  // Expressions
  {
    name: "two statements",
    files: entities({ A: { "a uint256": 'log.info("\\"", []); event.params.amount' } }),
    want: ["error expression-syntax 7:65 ;"],
  },
  {
    name: "an unfinished list",
    files: callX({ name: "balanceOf", params: "event.params.who,, 1" }),
    want: ["error expression-syntax 7:73 ,"],
  },
  {
    name: "an unfinished condition",
    files: callX({ name: "total", conditions: { pre: "(true", post: "true)" } }),
    want: ["error expression-syntax 7:68 ", "error expression-syntax 7:83 "],
  },
  {
    name: "an unfinished source",
    files: callX({ name: "total", source: "event." }),
    want: ["error expression-syntax 7:58 "],
  },
  {
    name: "an unfinished id",
    files: entities({ A: [{ id: '"a', mapping: {} }] }),
    want: ["error expression-syntax 7:40 "],
  },
  // Fields and entities
  {
    name: "a type that is not an ABI type",
    files: entities({ A: { "a BigInt": "event.params.amount" } }),
    want: ["error unknown-type 7:33 BigInt"],
  },
  {
    name: "a struct",
    files: entities({ A: { "a (address,uint256)": "event.params.who" } }),
    want: ["error unknown-type 7:33 (address,uint256)"],
  },
  {
    name: "a field twice",
    files: entities({ A: { "a uint256": "event.params.amount", "a  uint": "event.params.amount" } }),
    want: ["error duplicate-field 7:65 a"],
  },
  {
    name: "a field of two types",
    files: withHandlers({
      Deposit: { entities: { A: { "a uint256": "event.params.amount" } } },
      Withdraw: { entities: { A: { "a string": '""' } } },
    }),
    want: ["error field-type-conflict 7:99 string"],
  },
  {
    name: "a parameter of a different type",
    files: entities({ Deposit: { "amount string": '""' } }),
    want: ["error field-type-conflict 7:44 string"],
  },
  {
    name: "a field id",
    files: entities({ A: { "id string": '""' } }),
    want: ["warning id-is-reserved 7:31 id"],
  },
  {
    name: "a field that is renamed",
    files: entities({ A: { "a_in uint256": "event.params.amount" } }),
    want: ["note field-renamed 7:31 a_in"],
  },
  {
    name: "a field in the way of the reference to the trigger",
    files: entities({ A: { "deposit uint256": "event.params.amount" } }),
    want: ["note field-renamed 7:31 deposit"],
  },
  {
    name: "an entity that is renamed",
    files: entities({ Entity: { "a uint256": "event.params.amount" } }),
    want: ['note entity-renamed 7:25 "Entity"'],
  },
  {
    name: "a reference to the trigger that is renamed",
    files: project(
      [
        {
          ...data,
          enrich: {
            handlers: { Set: { entities: { A: { "a address": "event.params.who.toHexString()" } } } },
          },
        },
      ],
      {
        Vault: [event("Set", "address who")],
      },
    ),
    want: ['note field-renamed 27:8 "A"'],
  },
  {
    name: "a renamed entity, with a note",
    files: withHandlers({ Deposit: { entities: { Deposits: { "a uint256": "event.params.amount" } } } }),
    want: ['note entity-renamed 7:25 "Deposits"'],
  },
];
