import { abiCodes } from "./catalog/abis.js";
import type { CatalogEntry } from "./catalog/entry.js";
import { expressionCodes } from "./catalog/expressions.js";
import { handlerCodes } from "./catalog/handlers.js";
import { readingCodes } from "./catalog/reading.js";
import { runningCodes } from "./catalog/running.js";
import { settingCodes } from "./catalog/settings.js";
import { trapCodes } from "./catalog/traps.js";

export type { CatalogEntry } from "./catalog/entry.js";

const entries = {
  ...readingCodes,
  ...settingCodes,
  ...abiCodes,
  ...handlerCodes,
  ...expressionCodes,
  ...trapCodes,
  ...runningCodes,
};

/** The name of a kind of finding: stable, kebab-case, never reused for something else. */
export type Code = keyof typeof entries;

/** Every code there is, in the order in which a configuration meets them. */
export const catalog: Readonly<Record<Code, CatalogEntry>> = entries;

/** All codes. */
export const codes = Object.keys(entries) as readonly Code[];

/** Whether a text is a code. */
export function isCode(text: string): text is Code {
  return Object.hasOwn(catalog, text);
}
