import type { CatalogEntry } from "./entry.js";

/** Codes for handlers: their triggers, their calls and their entities. */
export const handlerCodes = {
  "duplicate-handler": {
    title: "two handlers have the same trigger",
    explanation: `Two keys under "handlers" name the same event or function in different ways. The order in which they run would be undefined. Merge them into one.`,
    example: {
      wrong: `{ "Paused": { … }, "Paused(address)": { … } }`,
      right: `{ "Paused(address)": { … } }`,
    },
  },
  "calls-not-enabled": {
    title: "a function has a handler, but call handlers are off",
    explanation:
      "Function calls are not indexed by default, because this requires a node with tracing and is slower. This handler would never run. Enable call handlers, or use an event.",
    example: { wrong: `"handlers": { "mint(uint256)": { … } }`, right: `"enableCallHandlers": true` },
  },
  "function-never-triggers": {
    title: "a handler is for a function that does not change state",
    explanation:
      "Calls of view and pure functions leave no trace on the chain. A handler for one would never run. Name an event, or a function that changes state.",
    example: {
      wrong: `"handlers": { "balanceOf(address)": { … } }`,
      right: `"handlers": { "transfer(address,uint256)": { … } }`,
    },
  },
  "unknown-function": {
    title: "the ABI has no such function",
    explanation: `A call names a function of the ABI given under "abi", or of the instance's ABI. That ABI has no function with this name; names are case-sensitive. Correct the name, or name the right ABI.`,
    example: { wrong: `{ "name": "balanceof" }`, right: `{ "name": "balanceOf" }` },
  },
  "ambiguous-function": {
    title: "a call matches several functions",
    explanation:
      "The function is overloaded, and the number of arguments does not determine which one you mean. Write the full signature as the name.",
    example: {
      wrong: `{ "name": "get", "params": "event.params.id" }`,
      right: `{ "name": "get(uint256)", "params": "event.params.id" }`,
    },
  },
  "function-not-callable": {
    title: "a function cannot be called by a mapping",
    explanation:
      "Mappings can read from a contract but not change it, and AssemblyScript cannot encode or decode some types. The message gives the reason. Choose another function.",
    example: { wrong: `{ "name": "transfer" }`, right: `{ "name": "balanceOf" }` },
  },
  "call-changes-state": {
    title: "a called function changes state",
    explanation:
      "Mappings read from contracts and send no transactions. A function that changes state is only simulated: the call returns what the function would return, and changes nothing. It may revert if the contract checks the caller. Some functions are meant to be simulated, such as price quotes of an exchange; otherwise, call the view function that returns the value.",
    example: { wrong: `{ "name": "collect" }`, right: `{ "name": "tokensOwed" }` },
  },
  "call-unread": {
    title: "a call has no effect",
    explanation:
      "Each call takes time whenever the handler runs. Nothing reads the result of this one, and nothing depends on its success: it is not required, has no condition and no dependent call, or the handler stores nothing at all. Store the result in a field of an entity, or remove the call.",
    example: {
      wrong: `{ "calls": { "total": { … } }, "entities": { "A": { "x uint256": "event.params.x" } } }`,
      right: `{ "calls": { "total": { … } }, "entities": { "A": { "total uint256": "calls.total" } } }`,
    },
  },
  "wrong-argument-count": {
    title: "a call has too many or too few arguments",
    explanation: `"params" holds one expression for each parameter of the function, separated by commas. The numbers differ here. Add the missing arguments, or remove the extra ones.`,
    example: {
      wrong: `{ "name": "allowance", "params": "event.params.owner" }`,
      right: `{ "name": "allowance", "params": "event.params.owner, event.params.spender" }`,
    },
  },
  "reserved-call-name": {
    title: "the name of a call is reserved",
    explanation:
      "In generated code, the name of a call becomes a member of calls. It cannot be a reserved word of AssemblyScript, or a name that already tells whether another call reverted. Choose another name.",
    example: { wrong: `"calls": { "constructor": { … } }`, right: `"calls": { "constructorResult": { … } }` },
  },
  "unknown-call": {
    title: "the call does not exist",
    explanation: `Expressions and "depends_on" refer to calls of the same handler by their keys under "calls". No call has this name. Correct the name, or declare the call.`,
    example: { wrong: `"calls.balnce"`, right: `"calls.balance"` },
  },
  "call-order": {
    title: "a call depends on itself or on a later call",
    explanation:
      "Calls are made in the order in which you write them, so a call can only depend on earlier ones. Move the other call up. Calls that need each other, through depends_on or through the results that they read, form a cycle that no order resolves. Remove one of the dependencies.",
    example: {
      wrong: `{ "b": { "depends_on": ["a"], … }, "a": { … } }`,
      right: `{ "a": { … }, "b": { "depends_on": ["a"], … } }`,
    },
  },
  "call-not-made-yet": {
    title: "a result is used before its call is made",
    explanation:
      "Calls are made in the order in which you write them. At this point the call has not been made, so it has no result. Move that call before this one. To test the result of the call itself, use its post condition.",
    example: {
      wrong: `{ "b": { "params": "calls.a", … }, "a": { … } }`,
      right: `{ "a": { … }, "b": { "params": "calls.a", … } }`,
    },
  },
  "not-declarable": {
    title: "a call cannot be declared",
    explanation:
      "graph-node makes declared calls before the handler runs, so their address and arguments must come from the event itself; of two parameters with the same name it finds only the first. This call needs more, so the handler makes it instead, which is slower but correct. Simplify it, or set declared to false.",
    example: {
      wrong: `{ "params": "event.params.id.plus(calls.offset)", "declared": true }`,
      right: `{ "params": "event.params.id", "declared": true }`,
    },
  },
  "field-key": {
    title: "a field key is not a name and a type",
    explanation:
      "The key of a field is its name, a space and its Solidity type. One of the two is missing or invalid. Write both.",
    example: { wrong: `{ "balance": "calls.balance" }`, right: `{ "balance uint256": "calls.balance" }` },
  },
  "unknown-type": {
    title: "a field has a type that cannot be stored",
    explanation:
      "Fields have ABI types, such as address, uint256, string or bytes32[]. Each corresponds to a fixed GraphQL type. Write the Solidity type of the value, not its GraphQL or AssemblyScript type.",
    example: { wrong: `"balance BigInt"`, right: `"balance uint256"` },
  },
  "duplicate-field": {
    title: "a field is set twice",
    explanation:
      "Two keys of an entity name the same field with different types. Only one value can be stored. Remove one of them.",
    example: { wrong: `{ "x uint256": "…", "x string": "…" }`, right: `{ "x uint256": "…" }` },
  },
  "duplicate-id": {
    title: "two items of a list have the same id",
    explanation:
      "Each item of the list is stored as an entity under its id. These two always have the same id, so the later one would overwrite the earlier one. Give each a unique id, or merge their fields into one item.",
    example: {
      wrong: `[{ "id": ""out"", … }, { "id": ""out"", … }]`,
      right: `[{ "id": ""out"", … }, { "id": ""in"", … }]`,
    },
  },
  "field-not-set-yet": {
    title: "a field is read before anything sets it",
    explanation:
      "The triggering entity is new: at first it has only its standard fields and the parameters. The mapping of its own type is applied before the other entities are created, so those can read the fields that it sets. Calls, and the mapping itself, are evaluated earlier and cannot. Read a parameter instead, or repeat the expression.",
    example: {
      wrong: `"Transfer": { "fee uint256": "…", "rest uint256": "event.params.value.minus(entity.fee!)" }`,
      right: `"Transfer": { "fee uint256": "…" }, "Net": { "rest uint256": "event.params.value.minus(entity.fee!)" }`,
    },
  },
  "field-type-conflict": {
    title: "a field has two types",
    explanation:
      "An entity is one GraphQL type for all handlers, contracts and chains, so a field has the same type everywhere. Two handlers use different types. Use the same type in both, or use two fields.",
    example: {
      wrong: `"shares uint256" in one handler, "shares string" in another`,
      right: `"shares uint256" in both`,
    },
  },
  "entity-overwritten": {
    title: "an entity is stored twice under the same id",
    explanation:
      "Two ABIs at the same address share an event, as the facets of a diamond do, and both enrichments store an entity with the same type and id. There is only one event, so the second entity would overwrite the first. Use a different name or id in one of them, or merge both into one enrichment.",
    example: {
      wrong: `"Move": { "a uint256": "…" } for one facet, "Move": { "b uint256": "…" } for the other`,
      right: `"Move": { "a uint256": "…", "b uint256": "…" } for one of them`,
    },
  },
  "id-is-reserved": {
    title: "a field is called id",
    explanation: `Every entity already has an id, so this field is renamed. To choose the id itself, write the entity as a list of items with "id" and "explicit_id". Otherwise, choose another name for the field.`,
    example: {
      wrong: `"Balance": { "id string": "event.params.to.toHexString()" }`,
      right: `"Balance": [{ "id": "event.params.to.toHexString()", "explicit_id": true, "mapping": { … } }]`,
    },
  },
  "entity-renamed": {
    title: "an entity is renamed",
    explanation:
      "The name is taken, or graph-node or the generated code uses it, so graphloom chose a similar one. If ABIs have events with the same name but different parameters, each entity's name starts with the name of its ABI. ABIs that share an event share its entity, named after the alphabetically first of them. Queries use the new name. No action is needed; you can rename entities that you define.",
    example: {
      wrong: "event Query(uint256) as entity Query",
      right: "event Query(uint256) as entity QueryEntity",
    },
  },
  "field-renamed": {
    title: "a field is renamed",
    explanation:
      "The name is taken, or has a special meaning in queries, so graphloom chose a similar one. Leading underscores of parameter names are always removed, so that _from and from become the same field. Queries use the new name. No action is needed; you can rename fields that you define.",
    example: { wrong: `parameter "id" as field id`, right: `parameter "id" as field idParam` },
  },
} as const satisfies Record<string, CatalogEntry>;
