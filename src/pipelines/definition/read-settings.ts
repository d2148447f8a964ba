import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { Location } from "../../compiler/source/source.js";
import type { ObjectNode } from "../../compiler/source/tree.js";
import { readValue } from "./read-value.js";
import type { Settings, SettingValue } from "./settings.js";
import type { Shape } from "./shape.js";

/** Describes an object of a definition, for messages. */
export interface Described {
  /** Its key, where missing settings are reported. */
  readonly at: Location;
  /** Such as `a postgres sink`. */
  readonly what: string;
  /** Settings that the caller reads itself. */
  readonly others?: readonly string[];
}

/**
 * Reads the settings of an object, and reports settings that do not exist, are missing or hold something
 * else.
 */
export function readSettings<S extends Shape>(
  node: ObjectNode,
  shape: S,
  { at, what, others = [] }: Described,
  report: Report,
): Settings<S> {
  const settings: Record<string, SettingValue> = {};
  const known = [...others, ...Object.keys(shape)];
  for (const { key, value } of node.members) {
    const setting = Object.hasOwn(shape, key.value) ? shape[key.value] : undefined;
    // Definitions that services export have settings that were never set.
    const isUnset = value.kind === "null" && !others.includes(key.value);
    if (isUnset && !setting)
      report.note("no-effect", key.at, `${quote(key.value)} has no effect here`, { hint: "it has no value" });
    else if (isUnset) continue;
    else if (setting) {
      if (setting.idle !== undefined)
        report.note("no-effect", key.at, `${quote(key.value)} has no effect here`, { hint: setting.idle });
      const read = readValue(key.value, value, setting, report);
      if (read !== undefined) settings[key.value] = read;
    } else if (!others.includes(key.value)) {
      const [near] = suggest(key.value, known);
      report.error("unknown-key", key.at, `${what} has no setting ${quote(key.value)}`, {
        hint: near === undefined ? `its settings are ${known.join(", ")}` : `write ${near}`,
        ...(near !== undefined && {
          fix: [{ kind: "part", of: key, start: 0, end: key.value.length, text: near }],
        }),
      });
    }
  }
  for (const [name, { required, describe }] of Object.entries(shape)) {
    if (required && !node.members.some(({ key, value }) => key.value === name && value.kind !== "null"))
      report.error("missing-key", at, `${what} requires ${quote(name)}`, {
        hint: `add ${name}: ${describe}`,
      });
  }
  return settings as Settings<S>;
}
