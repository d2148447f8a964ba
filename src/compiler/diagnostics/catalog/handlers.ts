import type { CatalogEntry } from "./entry.js";

/** Codes of handlers: their triggers, their calls and what they store. */
export const handlerCodes = {
  "duplicate-handler": {
    title: "two handlers listen to the same thing",
    explanation:
      "Two keys of the handlers mean the same event or function, written differently. Their order would be undefined. Merge them into one.",
    example: {
      wrong: `{ "Paused": { … }, "Paused(address)": { … } }`,
      right: `{ "Paused(address)": { … } }`,
    },
  },
  "calls-not-enabled": {
    title: "a handler is for a function, and call handlers are off",
    explanation:
      "Calls of functions are only indexed when you say so, because the node then needs tracing and is slower. This handler would never run. Enable call handlers, or use an event.",
    example: { wrong: `"handlers": { "mint(uint256)": { … } }`, right: `"enableCallHandlers": true` },
  },
  "function-never-triggers": {
    title: "a handler is for a function that changes nothing",
    explanation:
      "View and pure functions leave no trace on the chain when they are called. A handler for one would never run. Name an event, or a function that changes state.",
    example: {
      wrong: `"handlers": { "balanceOf(address)": { … } }`,
      right: `"handlers": { "transfer(address,uint256)": { … } }`,
    },
  },
  "unknown-function": {
    title: "the ABI has no such function",
    explanation: `A call names a function of the instance's own ABI, or of the ABI it names under "abi". There is none of this name; case counts. Correct the name, or name the right ABI.`,
    example: { wrong: `{ "name": "balanceof" }`, right: `{ "name": "balanceOf" }` },
  },
  "ambiguous-function": {
    title: "a call fits several functions",
    explanation:
      "The function is overloaded, and the number of arguments does not decide which one is meant. They have different parameters and results. Write the full signature as the name.",
    example: {
      wrong: `{ "name": "get", "params": "event.params.id" }`,
      right: `{ "name": "get(uint256)", "params": "event.params.id" }`,
    },
  },
  "function-not-callable": {
    title: "a function cannot be called by a mapping",
    explanation:
      "Mappings can read a contract, not change it, and some types cannot be encoded or decoded in AssemblyScript. The message says what is in the way. Choose another function.",
    example: { wrong: `{ "name": "transfer" }`, right: `{ "name": "balanceOf" }` },
  },
  "call-changes-state": {
    title: "a call is of a function that changes state",
    explanation:
      "Mappings read from contracts and send no transactions. A function that changes state is only tried: the result is what it would return, and nothing is changed by it. It reverts where the contract asks who calls. Some functions are made for that, such as quotes of an exchange; otherwise call the view function that has the value.",
    example: { wrong: `{ "name": "collect" }`, right: `{ "name": "tokensOwed" }` },
  },
  "call-unread": {
    title: "a call is made for nothing",
    explanation:
      "Each call costs time whenever the handler runs. Nothing reads the result of this one, and nothing depends on its success: it is not required, no call depends on it, it has no condition, or nothing is stored at all. Keep the result in a field of an entity, or remove the call.",
    example: {
      wrong: `{ "calls": { "total": { … } }, "entities": { "A": { "x uint256": "event.params.x" } } }`,
      right: `{ "calls": { "total": { … } }, "entities": { "A": { "total uint256": "calls.total" } } }`,
    },
  },
  "wrong-argument-count": {
    title: "a call has too many or too few arguments",
    explanation: `"params" holds one expression for each parameter of the function, separated by commas. Here the numbers differ. Add what is missing, or remove what is too much.`,
    example: {
      wrong: `{ "name": "allowance", "params": "event.params.owner" }`,
      right: `{ "name": "allowance", "params": "event.params.owner, event.params.spender" }`,
    },
  },
  "reserved-call-name": {
    title: "a call cannot have this name",
    explanation:
      "The name of a call becomes a member of calls in generated code. A word of AssemblyScript cannot, nor can a name that already says whether another call reverted. Choose another name.",
    example: { wrong: `"calls": { "constructor": { … } }`, right: `"calls": { "constructorResult": { … } }` },
  },
  "unknown-call": {
    title: "there is no such call",
    explanation: `Expressions and "depends_on" name calls of the same handler by their keys under "calls". None has this name. Correct the name, or declare the call.`,
    example: { wrong: `"calls.balnce"`, right: `"calls.balance"` },
  },
  "call-order": {
    title: "a call depends on one that is not made before it",
    explanation:
      "Calls are made in the order in which they are written. A call can depend on earlier ones only, not on itself. Move the other call up. Calls that need each other, by depends_on or because their expressions read the results, form a cycle that no order resolves. One of them has to do without the other.",
    example: {
      wrong: `{ "b": { "depends_on": ["a"], … }, "a": { … } }`,
      right: `{ "a": { … }, "b": { "depends_on": ["a"], … } }`,
    },
  },
  "call-not-made-yet": {
    title: "a result is used before its call is made",
    explanation:
      "Calls are made in the order in which they are written. At this place the call is still to come, so its result holds nothing. Move that call before this one. A condition that tests the result of its own call is the one after it, called post.",
    example: {
      wrong: `{ "b": { "params": "calls.a", … }, "a": { … } }`,
      right: `{ "a": { … }, "b": { "params": "calls.a", … } }`,
    },
  },
  "not-declarable": {
    title: "a call cannot be declared",
    explanation:
      "graph-node makes declared calls ahead of the handler, so their address and arguments may only come from the event itself; of two parameters of one name it finds the first. This call needs more, and is made in the handler instead. That is slower but correct. Simplify it, or set declared to false.",
    example: {
      wrong: `{ "params": "event.params.id.plus(calls.offset)", "declared": true }`,
      right: `{ "params": "event.params.id", "declared": true }`,
    },
  },
  "field-key": {
    title: "a field is not written as name and type",
    explanation:
      "The key of a field is its name, a space and its type in Solidity's words. One of the parts is missing, or is not a name. Write both.",
    example: { wrong: `{ "balance": "calls.balance" }`, right: `{ "balance uint256": "calls.balance" }` },
  },
  "unknown-type": {
    title: "a field has a type that cannot be stored",
    explanation:
      "Fields have types of the ABI, such as address, uint256, string or bytes32[]. Each has a fixed counterpart in GraphQL. Write the Solidity type of the value, not the one of GraphQL or AssemblyScript.",
    example: { wrong: `"balance BigInt"`, right: `"balance uint256"` },
  },
  "duplicate-field": {
    title: "a field is set twice",
    explanation:
      "Two keys of the same entity name the same field with different types. Only one value can be stored. Remove one of them.",
    example: { wrong: `{ "x uint256": "…", "x string": "…" }`, right: `{ "x uint256": "…" }` },
  },
  "duplicate-id": {
    title: "two items of a list have the same id",
    explanation:
      "Every item of the list is stored as an entity with the id it gives. These two give the same one whatever triggers them, so the later would overwrite the earlier. Give each an id of its own, or put their fields into one item.",
    example: {
      wrong: `[{ "id": ""out"", … }, { "id": ""out"", … }]`,
      right: `[{ "id": ""out"", … }, { "id": ""in"", … }]`,
    },
  },
  "field-not-set-yet": {
    title: "a field is read before anything sets it",
    explanation:
      "The triggering entity is new: it holds what every such entity has and the parameters. The mapping of its own type is applied before the other entities are made, and they may read what it set. Calls, and that mapping itself, are evaluated before. Read a parameter instead, or write the expression again.",
    example: {
      wrong: `"Transfer": { "fee uint256": "…", "rest uint256": "event.params.value.minus(entity.fee!)" }`,
      right: `"Transfer": { "fee uint256": "…" }, "Net": { "rest uint256": "event.params.value.minus(entity.fee!)" }`,
    },
  },
  "field-type-conflict": {
    title: "a field has two types",
    explanation:
      "An entity is one GraphQL type for all handlers, contracts and chains, so a field has the same type everywhere. Two handlers give it different ones. Use the same type in both, or two fields.",
    example: {
      wrong: `"shares uint256" in one handler, "shares string" in another`,
      right: `"shares uint256" in both`,
    },
  },
  "entity-overwritten": {
    title: "an entity is stored twice under one id",
    explanation:
      "Two ABIs at one address share an event, as the facets of a diamond do, and both enrichments of it store an entity of the same type and id. The event comes once, and so does its id; the second would overwrite the first. Use another name or id in one of them, or write both in one enrichment.",
    example: {
      wrong: `"Move": { "a uint256": "…" } for one facet, "Move": { "b uint256": "…" } for the other`,
      right: `"Move": { "a uint256": "…", "b uint256": "…" } for one of them`,
    },
  },
  "id-is-reserved": {
    title: "a field is called id",
    explanation: `Every entity has an id of its own, so this field gets another name. To choose the id itself, write the entity as a list of items with "id" and "explicit_id". Otherwise choose another name for the field.`,
    example: {
      wrong: `"Balance": { "id string": "event.params.to.toHexString()" }`,
      right: `"Balance": [{ "id": "event.params.to.toHexString()", "explicit_id": true, "mapping": { … } }]`,
    },
  },
  "entity-renamed": {
    title: "an entity has another name than expected",
    explanation:
      "The name is taken, or graph-node or the generated code uses it, so a similar one was chosen. Where ABIs have events of one name with other parameters, each has the name of its ABI before it; ABIs that share an event share its entity, named after the first of them by alphabet. Queries use the new name. Nothing needs to be done; an entity of your own can be renamed in the configuration.",
    example: {
      wrong: "event Query(uint256) as entity Query",
      right: "event Query(uint256) as entity QueryEntity",
    },
  },
  "field-renamed": {
    title: "a field has another name than expected",
    explanation:
      "The name is taken, or has a meaning in queries, so a similar one was chosen. Underscores at the beginning of a parameter's name are always left out, so that _from meets from. Queries use the new name. Nothing needs to be done; a field of your own can be renamed in the configuration.",
    example: { wrong: `parameter "id" as field id`, right: `parameter "id" as field idParam` },
  },
} as const satisfies Record<string, CatalogEntry>;
