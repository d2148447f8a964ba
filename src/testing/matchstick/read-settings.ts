import { parse } from "yaml";
import { messageOf } from "../../base/text/message-of.js";

/** The settings of `matchstick.yaml`: paths relative to the project. */
export interface TestSettings {
  readonly tests: string;
  /** Absent unless the file names it. */
  readonly libs?: string;
  readonly manifest: string;
}

/** A `matchstick.yaml` that cannot be read. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** The names in `matchstick.yaml`, and ours. */
const names = { testsFolder: "tests", libsFolder: "libs", manifestPath: "manifest" } as const;
const defaults: TestSettings = { tests: "tests", manifest: "subgraph.yaml" };

/**
 * Reads the settings of the tests of a project.
 * @param text of `matchstick.yaml`; `undefined` when there is none
 * @throws SettingsError for text that is not YAML, and for a path that is not a string
 */
export function readSettings(text: string | undefined): TestSettings {
  const data = text === undefined ? undefined : parsed(text);
  if (data === undefined || data === null) return defaults;
  if (typeof data !== "object") throw new SettingsError("matchstick.yaml must be a map of settings.");
  const given = Object.entries(names).flatMap(([theirs, ours]) => {
    const value: unknown = (data as Record<string, unknown>)[theirs];
    if (value === undefined || value === null) return [];
    if (typeof value === "string" && value !== "") return [[ours, value] as const];
    throw new SettingsError(`matchstick.yaml: ${theirs} must be a path.`);
  });
  return { ...defaults, ...Object.fromEntries(given) };
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new SettingsError(`matchstick.yaml is not YAML: ${messageOf(error).split("\n")[0]}`);
  }
}
