import type { Abi } from "../abi/abi.js";
import { Report } from "../diagnostics/report.js";
import type { LoadedAbi, LoadedProject } from "../load/loaded-project.js";
import type { AbiDeclaration, OwnMapping, ValidProject } from "./config.js";
import { parseAbi } from "./parse-abi.js";
import { readConfig } from "./read-config.js";
import { rules } from "./rules/rules.js";
import { checkSchema } from "./schema-check.js";
import { childOf, membersOf, optionalString } from "./shape/tree-access.js";
import { Soundness } from "./soundness.js";

/**
 * Validates a configuration: its form, its ABIs, and the rules that the schema cannot express. Continues after errors
 * as far as possible.
 * @returns the valid parts; incomplete after a reported error
 */
export function validate(loaded: LoadedProject, report: Report): ValidProject {
  const { config } = loaded;
  const violations = checkSchema(loaded, report);
  const declared = membersOf(childOf(config, "abis"));
  const project = readConfig(
    config,
    parseAbis(loaded, report),
    readMapping(loaded),
    new Soundness(violations),
    report,
  );
  const context = {
    config,
    declared: new Map(declared.map(({ key }) => [key.value, key])),
    complete: violations.size === 0,
  };
  for (const rule of rules) rule(project, context, report);
  return project;
}

/** Two names of one file share the loaded ABI, which is parsed (and reported) once. Leaves out faulty ABIs. */
function parseAbis(loaded: LoadedProject, report: Report): AbiDeclaration[] {
  const parsed = new Map<LoadedAbi, Abi | undefined>();
  return membersOf(childOf(loaded.config, "abis")).flatMap(({ key }) => {
    const source = loaded.abis.get(key.value);
    if (!source) return [];
    const abi = parsed.has(source) ? parsed.get(source) : parseWhole(source, report);
    parsed.set(source, abi);
    return abi ? [{ name: key, abi }] : [];
  });
}

/** Returns all entries or none: a missing entry would make other things look wrong, such as its handlers. */
function parseWhole(source: LoadedAbi, report: Report): Abi | undefined {
  const faults = new Report();
  const abi = parseAbi(source, faults);
  for (const { severity, code, at, message, ...details } of faults.diagnostics)
    report[severity](code, at, message, details);
  return faults.failed ? undefined : abi;
}

/**
 * Reads the user's own mapping.
 * @returns `undefined` if it is missing or unreadable
 */
function readMapping({ config, mapping }: LoadedProject): OwnMapping | undefined {
  const path = optionalString(childOf(config, "mapping"), "file");
  return mapping && path && { ...mapping, path };
}
