import type { CatalogEntry } from "./entry.js";

/** Codes of expressions and of the compiler that they go through. */
export const expressionCodes = {
  "expression-syntax": {
    title: "an expression cannot be parsed",
    explanation:
      "The text of a value is one expression of AssemblyScript, and this one is not. Statements, several expressions and comments are refused too, because they would become part of the generated code. Correct what is marked.",
    example: { wrong: `"event.params.value.plus("`, right: `"event.params.value.plus(event.params.fee)"` },
  },
  "unknown-parameter": {
    title: "there is no such parameter",
    explanation:
      "The event or call has parameters of other names. Parameters without a name are called param0, param1 and so on. The addressParam of a template is such a name alone, without the event.params that expressions have before it. Use one of the names in the message.",
    example: { wrong: `"event.params.ownr"`, right: `"event.params.owner"` },
  },
  "wrong-trigger": {
    title: "event and call are confused",
    explanation:
      "Handlers of events know event, handlers of functions know call. The other word does not exist there. Write the one that fits the handler; a call has inputs and outputs, an event has params.",
    example: {
      wrong: `"mint(uint256)": { … "event.params.amount" }`,
      right: `"mint(uint256)": { … "call.inputs.amount" }`,
    },
  },
  "result-out-of-scope": {
    title: "result is used outside of a post condition",
    explanation: `The word "result" means the result of the call whose "post" condition is tested. Everywhere else results have names. Write calls. and the name of the call.`,
    example: { wrong: `"balance uint256": "result"`, right: `"balance uint256": "calls.balance"` },
  },
  "unknown-import": {
    title: "graph-ts exports nothing of that name",
    explanation: `Names under "imports" come from @graphprotocol/graph-ts, and it has none of this name. What expressions use is imported without being asked. Correct the name, or remove it.`,
    example: { wrong: `"imports": ["Bigint"]`, right: `"imports": ["BigInt"]` },
  },
  "expression-type": {
    title: "AssemblyScript rejects an expression",
    explanation:
      "The expression is well formed, but its types do not fit: a method that does not exist, or a value of one type where another is needed. The compiler's words are in the message. Convert the value, for example with .toHexString() or BigInt.fromI32(). A call with several outputs gives an object with a method for each, so that output tick of call slot0 is calls.slot0.getTick(), and those without a name are value0, value1 and so on. The result of a call that may revert can be null until the call is marked required or the expression says what null means.",
    example: {
      wrong: `"owner string": "event.params.to"`,
      right: `"owner string": "event.params.to.toHexString()"`,
    },
  },
  "expression-crashes-compiler": {
    title: "the AssemblyScript compiler crashes on an expression",
    explanation:
      "The version of the compiler that subgraphs are built with has faults, and some expressions end it without a message. Comparing a value with null by == is the usual one. Write the expression differently, as the hint says.",
    example: {
      wrong: `"event.transaction.to == null ? … : …"`,
      right: `"event.transaction.to === null ? … : …"`,
    },
  },
  "unavailable-function": {
    title: "an expression uses what graph-node does not provide",
    explanation:
      "Such an expression compiles, but the subgraph would fail as soon as it is deployed. Indexing must give the same result everywhere, so there is no clock, no chance and nothing to print to. Use what the event, its block and graph-ts offer.",
    example: { wrong: `"Date.now().toString()"`, right: `"event.block.timestamp.toString()"` },
  },
  "compiler-exhausted": {
    title: "the AssemblyScript compiler ran out of memory",
    explanation:
      "All events and calls that are indexed become one program, and this one is too large for the memory that Node allows. ABIs of thousands of events, most of which nobody needs, are the usual reason. Leave out of the ABIs what you do not need, split the configuration into several subgraphs, or allow more memory.",
    example: {
      wrong: "an ABI of 20,000 events",
      right: "the events you need, or NODE_OPTIONS=--max-old-space-size=8192",
    },
  },
  "compiler-hung": {
    title: "the AssemblyScript compiler did not end",
    explanation:
      "The compiler was stopped after a long time. An expression that is enormous or nested very deeply may be the reason, or a machine that is very busy. Try again, and simplify the expressions when it happens again.",
    example: {
      wrong: "an expression of thousands of parentheses",
      right: "several fields with an expression each",
    },
  },
} as const satisfies Record<string, CatalogEntry>;
