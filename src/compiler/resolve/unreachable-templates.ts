import { quote } from "../../base/quote.js";
import type { Report } from "../diagnostics/report.js";
import type { ValidProject } from "../validate/config.js";
import type { TemplateGroup, TemplateOrigin } from "./group-templates.js";

/**
 * Reports templates that no chain reaches, each with the ABI that is not instantiated. A template that is
 * only reachable from an unreached one is not reported, and none is while an instance has errors.
 */
export function reportUnreachable(
  project: ValidProject,
  templates: readonly TemplateGroup[],
  report: Report,
): void {
  const declared = new Set(project.abis.map(({ name }) => name.value));
  const isInDoubt = project.instances.some(({ abi }) => !declared.has(abi.value));
  if (!project.complete || isInDoubt) return;
  let unreached = templates.flatMap(({ origins }) => origins);
  const known = new Set(unreached.map(({ instance }) => instance));
  // A template with an error in its own event may be reachable once that is fixed.
  const others = project.instances.filter((instance) => instance.kind !== "template" || !known.has(instance));
  const present = new Set(others.map(({ abi }) => abi.value));
  for (unreached = reach(unreached, present); unreached.length > 0; unreached = reach(unreached, present)) {
    const made = new Set(unreached.map(({ instance }) => instance.abi.value));
    const roots = unreached.filter(({ instance }) => !made.has(instance.source.abi.value));
    // In a cycle of templates that create each other, the first one is reported.
    for (const origin of roots.length > 0 ? roots : unreached.slice(0, 1)) {
      reportOne(origin, report);
      present.add(origin.instance.source.abi.value);
    }
  }
}

/** Adds the ABIs of reached templates to the present ones; returns the unreached templates. */
function reach(origins: readonly TemplateOrigin[], present: Set<string>): TemplateOrigin[] {
  let left = [...origins];
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    left = left.filter(({ instance }) => {
      if (!present.has(instance.source.abi.value)) return true;
      present.add(instance.abi.value);
      return false;
    });
  }
  return left;
}

function reportOne({ instance }: TemplateOrigin, report: Report): void {
  const { abi } = instance.source;
  const name = quote(abi.value);
  report.error(
    "unreachable-template",
    abi.at,
    `nothing creates the template of ABI ${quote(instance.abi.value)}`,
    {
      label: "no contract of this ABI is indexed",
      hint: `add an instance of ${name} with an address and a chain`,
    },
  );
}
