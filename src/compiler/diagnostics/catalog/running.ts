import type { CatalogEntry } from "./entry.js";

/** Codes for failures at run time. */
export const runningCodes = {
  "handler-failed": {
    title: "a handler failed while it ran",
    explanation:
      "The mapping failed on the event or call that the notes name. If an expression of the configuration failed, it is marked; usually it asserts that a value is not null, but the value is null because a call reverted. Nothing of the block was written. A deployed subgraph stops permanently at such a block, so its expressions must handle everything that can happen on the chain. Test the value for null before using it, or make the call required, so that its entities are skipped when it reverts.",
    example: { wrong: `"calls.symbol!"`, right: `"calls.symbol === null ? \\"?\\" : calls.symbol!"` },
  },
} as const satisfies Record<string, CatalogEntry>;
