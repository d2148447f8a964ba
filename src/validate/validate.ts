import type { Abi } from "../abi/abi.js";
import type { Report } from "../diagnostics/report.js";
import type { LoadedAbi, LoadedProject } from "../load/loaded-project.js";
import type { AbiDeclaration, ValidProject } from "./config.js";
import { parseAbi } from "./parse-abi.js";
import { readConfig } from "./read-config.js";
import { rules } from "./rules/rules.js";
import { checkSchema, type Violations } from "./schema-check.js";
import { childOf, membersOf } from "./tree-access.js";

/**
 * Judges a configuration: its form, its ABIs, and what the schema cannot express. Everything that can be judged is,
 * also beside what is wrong.
 * @returns nothing when anything was reported as an error, in this phase or before
 */
export function validate(loaded: LoadedProject, report: Report): ValidProject | undefined {
  const { config } = loaded;
  const violations = checkSchema(config, report);
  const declared = membersOf(childOf(config, "abis"));
  const project = readConfig(config, parseAbis(loaded, report), soundness(violations), report);
  const context = {
    config,
    declared: new Map(declared.map(({ key }) => [key.value, key])),
    complete: violations.size === 0,
  };
  for (const rule of rules) rule(project, context, report);
  return report.failed ? undefined : project;
}

/** Two names of one file share what was loaded, which is parsed (and blamed) once. */
function parseAbis(loaded: LoadedProject, report: Report): AbiDeclaration[] {
  const parsed = new Map<LoadedAbi, Abi>();
  return membersOf(childOf(loaded.config, "abis")).flatMap(({ key }) => {
    const source = loaded.abis.get(key.value);
    if (!source) return [];
    const abi = parsed.get(source) ?? parseAbi(source, report);
    parsed.set(source, abi);
    return [{ name: key, abi }];
  });
}

/** Tells for a setting or an instance whether it, and all that is in it, satisfies the schema. */
function soundness(violations: Violations): (pointer: string) => boolean {
  const unsound = new Set<string>();
  for (const pointer of violations) {
    const [, setting, item] = pointer.split("/");
    unsound.add(`/${setting}`).add(`/${setting}/${item}`);
  }
  return (pointer) => !unsound.has(pointer);
}
