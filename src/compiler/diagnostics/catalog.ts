import { abiCodes } from "./catalog/abis.js";
import type { CatalogEntry } from "./catalog/entry.js";
import { expressionCodes } from "./catalog/expressions.js";
import { handlerCodes } from "./catalog/handlers.js";
import { mappingCodes } from "./catalog/mappings.js";
import { pipelineCodes } from "./catalog/pipelines.js";
import { projectCodes } from "./catalog/projects.js";
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
  ...mappingCodes,
  ...projectCodes,
  ...expressionCodes,
  ...trapCodes,
  ...runningCodes,
  ...pipelineCodes,
};

/** The code of a kind of diagnostic: stable, kebab-case, never reused. */
export type Code = keyof typeof entries;

/** All codes with their entries, in the order of the phases. */
export const catalog: Readonly<Record<Code, CatalogEntry>> = entries;

export const codes = Object.keys(entries) as readonly Code[];

/** Whether a string is a code. */
export function isCode(text: string): text is Code {
  return Object.hasOwn(catalog, text);
}
