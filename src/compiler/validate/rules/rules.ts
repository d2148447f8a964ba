import { addressChecksums } from "./address-checksums.js";
import { distinctChains } from "./distinct-chains.js";
import { ignoredChains } from "./ignored-chains.js";
import { knownAbis } from "./known-abis.js";
import { knownChains } from "./known-chains.js";
import { ownHandlers } from "./own-handlers.js";
import type { Rule } from "./rule.js";
import { templateSettings } from "./template-settings.js";
import { uniqueInstances } from "./unique-instances.js";
import { usedAbis } from "./used-abis.js";

/** Errors before warnings: of two diagnostics at one location, the more severe one is printed first. */
export const rules: readonly Rule[] = [
  knownAbis,
  ownHandlers,
  uniqueInstances,
  distinctChains,
  knownChains,
  addressChecksums,
  ignoredChains,
  usedAbis,
  templateSettings,
];
