import { addressChecksums } from "./address-checksums.js";
import { distinctChains } from "./distinct-chains.js";
import { ignoredChains } from "./ignored-chains.js";
import { knownAbis } from "./known-abis.js";
import { knownChains } from "./known-chains.js";
import type { Rule } from "./rule.js";
import { templateSettings } from "./template-settings.js";
import { uniqueInstances } from "./unique-instances.js";
import { usedAbis } from "./used-abis.js";

/** Errors before warnings: of two findings at one place, the graver is read first. */
export const rules: readonly Rule[] = [
  knownAbis,
  uniqueInstances,
  distinctChains,
  knownChains,
  addressChecksums,
  ignoredChains,
  usedAbis,
  templateSettings,
];
