import { quote } from "../../base/text/quote.js";
import type { AbiEvent } from "../abi/abi.js";
import type { Report } from "../diagnostics/report.js";
import type { ValidProject } from "../validate/config.js";
import { addressesOf } from "./address-parameter.js";
import { undeliverable } from "./find-triggers.js";
import type { TemplateGroup, TemplateOrigin } from "./group-templates.js";

/**
 * Reports templates that no chain reaches, each with the ABI that is not instantiated. Does not report templates that
 * are reachable only from an unreached one, and reports none if an instance has errors.
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
  // A template with an error in its own event may become reachable once that is fixed.
  const others = project.instances.filter((instance) => instance.kind !== "template" || !known.has(instance));
  const present = new Set(others.map(({ abi }) => abi.value));
  for (unreached = reach(unreached, present); unreached.length > 0; unreached = reach(unreached, present)) {
    const made = new Set(unreached.map(({ instance }) => instance.abi.value));
    const roots = unreached.filter(({ instance }) => !made.has(instance.source.abi.value));
    // In a cycle of templates that create each other, report the first one.
    for (const origin of roots.length > 0 ? roots : unreached.slice(0, 1)) {
      reportOne(origin, project, report);
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

function reportOne({ instance }: TemplateOrigin, project: ValidProject, report: Report): void {
  const { abi } = instance.source;
  const created = quote(instance.abi.value);
  const add = `add an instance of ${quote(abi.value)} with an address and a chain`;
  const announced = announcement(project);
  report.error("unreachable-template", abi.at, `nothing creates the template of ABI ${created}`, {
    label: "no contract of this ABI is indexed",
    notes: announced ? [describe(announced)] : [],
    hint: announced ? `use that event, or ${add}` : add,
  });
}

/** An event that seems to announce contracts. */
interface Announcement {
  readonly abi: string;
  readonly event: AbiEvent;
  readonly addresses: readonly string[];
}

/** The only event of the indexed contracts whose name and parameters suggest that it announces new contracts. */
function announcement({ abis, instances }: ValidProject): Announcement | undefined {
  const indexed = new Set(instances.flatMap((one) => (one.kind === "data-source" ? [one.abi.value] : [])));
  const found = abis.flatMap(({ name, abi }) => {
    if (!indexed.has(name.value)) return [];
    return abi.events.flatMap((event): Announcement[] => {
      const addresses = addressesOf(event);
      const isIt = addresses.length > 0 && announces.test(event.name) && undeliverable(event) === undefined;
      return isIt ? [{ abi: name.value, event, addresses }] : [];
    });
  });
  return found.length === 1 ? found[0] : undefined;
}

const announces = /creat|deploy|clon|launch|new|add|regist/i;

function describe({ abi, event, addresses }: Announcement): string {
  const parameters = addresses.map(quote).join(", ");
  return `this event may announce it: "abi": ${quote(abi)}, "eventSignature": ${quote(event.name)}, with one of ${parameters} as "addressParam"`;
}
