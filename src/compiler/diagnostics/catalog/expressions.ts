import type { CatalogEntry } from "./entry.js";

/** Codes for expressions, and for their compilation. */
export const expressionCodes = {
  "expression-syntax": {
    title: "an expression cannot be parsed",
    explanation:
      "A value must be a single AssemblyScript expression. Statements, comments and multiple expressions are rejected, because they would become part of the generated code. Correct the marked part.",
    example: { wrong: `"event.params.value.plus("`, right: `"event.params.value.plus(event.params.fee)"` },
  },
  "unknown-parameter": {
    title: "the parameter does not exist",
    explanation:
      "The event or call has no parameter with this name. Unnamed parameters are called param0, param1 and so on. The addressParam of a template is only the name, without the event.params prefix that expressions use. Use one of the names in the message.",
    example: { wrong: `"event.params.ownr"`, right: `"event.params.owner"` },
  },
  "unknown-name": {
    title: "a name is not defined in expressions",
    explanation:
      "Expressions can use event (or call), calls, entity and everything that graph-ts exports. Parameters, blocks, transactions and results are members of these. Solidity and other tools use different names for them. Write the name in the hint.",
    example: {
      wrong: `"block.number.minus(amount)"`,
      right: `"event.block.number.minus(event.params.amount)"`,
    },
  },
  "wrong-trigger": {
    title: "event and call are mixed up",
    explanation:
      "Event handlers have event, and function handlers have call; neither has the other. Use the one that matches the handler. An event has params; a call has inputs and outputs.",
    example: {
      wrong: `"mint(uint256)": { … "event.params.amount" }`,
      right: `"mint(uint256)": { … "call.inputs.amount" }`,
    },
  },
  "result-out-of-scope": {
    title: "result is used outside of a post condition",
    explanation: `In a "post" condition, "result" is the result of the call being tested. Everywhere else, refer to a result by name. Write calls.<name> with the name of the call.`,
    example: { wrong: `"balance uint256": "result"`, right: `"balance uint256": "calls.balance"` },
  },
  "unknown-import": {
    title: "graph-ts has no export with this name",
    explanation: `The names under "imports" come from @graphprotocol/graph-ts, which does not export this one. graphloom imports the names that expressions use automatically. Correct the name, or remove it.`,
    example: { wrong: `"imports": ["Bigint"]`, right: `"imports": ["BigInt"]` },
  },
  "expression-type": {
    title: "AssemblyScript rejects an expression",
    explanation:
      "The expression is well formed, but its types do not match: it uses a method that does not exist, or a value of the wrong type. The note quotes the compiler. Convert the value, for example with .toHexString() or BigInt.fromI32(). A call with several outputs returns an object with a method for each: output tick of call slot0 is calls.slot0.getTick(), and unnamed outputs are value0, value1 and so on. The result of a call that may revert can be null, unless the call is marked required or the expression handles null.",
    example: {
      wrong: `"owner string": "event.params.to"`,
      right: `"owner string": "event.params.to.toHexString()"`,
    },
  },
  "expression-crashes-compiler": {
    title: "the AssemblyScript compiler crashes on an expression",
    explanation:
      "Subgraphs are built with a version of the compiler that crashes on some expressions without a useful message. The usual cause is comparing a value with null by ==. Rewrite the expression as the hint says.",
    example: {
      wrong: `"event.transaction.to == null ? … : …"`,
      right: `"event.transaction.to === null ? … : …"`,
    },
  },
  "unavailable-function": {
    title: "an expression uses a function that graph-node does not provide",
    explanation:
      "The expression compiles, but the subgraph would fail once deployed. Indexing must give the same result on every node, so there is no clock, no randomness and no output. Use the event, its block and graph-ts instead.",
    example: { wrong: `"Date.now().toString()"`, right: `"event.block.timestamp.toString()"` },
  },
  "compiler-exhausted": {
    title: "the AssemblyScript compiler ran out of memory",
    explanation:
      "All indexed events and calls are compiled to one program, and this one is too large for the memory that Node allows. The usual cause is an ABI with thousands of events that the subgraph does not need. Remove them from the ABI, split the configuration into several subgraphs, or allow more memory.",
    example: {
      wrong: "an ABI of 20,000 events",
      right: "the events you need, or NODE_OPTIONS=--max-old-space-size=8192",
    },
  },
  "compiler-hung": {
    title: "the AssemblyScript compiler did not finish",
    explanation:
      "graphloom stopped the compiler after the time limit. The cause may be a very long or deeply nested expression, or a busy machine. Try again, and simplify the expressions if it keeps happening.",
    example: {
      wrong: "an expression with thousands of parentheses",
      right: "several fields, each with its own expression",
    },
  },
} as const satisfies Record<string, CatalogEntry>;
