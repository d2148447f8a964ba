import type { CatalogEntry } from "./entry.js";

/** Codes of failures at run time. */
export const runningCodes = {
  "handler-failed": {
    title: "a handler failed while it was run",
    explanation:
      "The mapping gave up on an event or a call of the chain, which the notes name. The place is the expression it happened in, if it happened in one of the configuration, mostly one that asserts a value which is null because a call reverted. A subgraph that is deployed stops for good at such a block, so its expressions should hold for everything the chain can bring. Nothing of the block was written. Ask whether the value is null before it is used, or make the call required, so that its entities are left out when it reverts.",
    example: { wrong: `"calls.symbol!"`, right: `"calls.symbol === null ? \\"?\\" : calls.symbol!"` },
  },
} as const satisfies Record<string, CatalogEntry>;
