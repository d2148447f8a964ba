import { quote } from "../../base/text/quote.js";
import { type Abi, plainSignature } from "../abi/abi.js";
import type { Report } from "../diagnostics/report.js";
import type { AbiDeclaration, Enrich, HandlerConfig, Instance, ValidProject } from "../validate/config.js";
import { enrichmentKey } from "./enrichment-key.js";
import { findEntry } from "./find-entry.js";
import {
  findTriggers,
  isStateChanging,
  reportSkipped,
  type TriggerEntry,
  undeliverable,
} from "./find-triggers.js";
import type { Resolution } from "./resolution.js";

/** A future handler: a trigger of an ABI with one enrichment, or none. Equivalent instances share it. */
export interface Variant {
  readonly declaration: AbiDeclaration;
  readonly entry: TriggerEntry;
  /** The first configuration with this enrichment. */
  readonly enrichment?: { readonly enrich: Enrich; readonly handler: HandlerConfig };
  /** 1 for the first enrichment of its trigger, in order of appearance; 0 without enrichment. */
  readonly ordinal: number;
}

export interface InstanceListener {
  readonly instance: Instance;
  /** One per trigger of the instance's ABI, in ABI order, events before calls. */
  readonly variants: readonly Variant[];
}

/**
 * Finds the triggers of every instance.
 * @returns one listener per instance, in written order
 */
export function findListeners(
  project: ValidProject,
  { declarations, report }: Resolution,
): readonly InstanceListener[] {
  const triggersOf = new Map<AbiDeclaration, readonly TriggerEntry[]>();
  const undelivered = new Set<TriggerEntry>();
  const pool = new VariantPool();
  const listeners: InstanceListener[] = [];
  for (const instance of project.instances) {
    const declaration = declarations.get(instance.abi.value);
    if (!declaration) continue;
    const triggers = triggersOf.get(declaration) ?? findTriggers(declaration, project.enableCallHandlers);
    triggersOf.set(declaration, triggers);
    if (triggers.length === 0)
      reportNothingToIndex(instance, declaration, project.enableCallHandlers, report);
    const { handlers, others } = matchHandlers(instance, declaration, triggers, report);
    for (const [entry, handler] of others) {
      undelivered.add(entry);
      reportNoTrigger(handler, entry, project.enableCallHandlers, report);
    }
    listeners.push({
      instance,
      variants: triggers.map((entry) =>
        pool.variant(declaration, entry, instance.enrich, handlers.get(entry)),
      ),
    });
  }
  for (const declaration of triggersOf.keys()) reportSkipped(declaration, undelivered, report);
  return listeners;
}

function reportNothingToIndex(
  instance: Instance,
  { abi }: AbiDeclaration,
  withCalls: boolean,
  report: Report,
): void {
  const hasCalls = !withCalls && abi.functions.some(isStateChanging);
  report.error(
    "nothing-to-index",
    instance.abi.at,
    `ABI "${instance.abi.value}" has ${whatItHas(abi, withCalls)}`,
    {
      hint: hasCalls
        ? 'set "enableCallHandlers": true to index calls, or remove the instance'
        : "use an ABI with events (for a proxy, the ABI of its implementation), or remove the instance",
    },
  );
}

/** What an ABI without triggers contains, for a message. */
function whatItHas({ events }: Abi, withCalls: boolean): string {
  if (events.length === 0 || !events.every(({ anonymous }) => anonymous))
    return `no event${withCalls ? " or state-changing function" : ""} that can be indexed`;
  return `only anonymous events, ${withCalls ? "and no function that changes state" : "which cannot be indexed"}`;
}

class VariantPool {
  readonly #variants = new Map<TriggerEntry, Map<string, Variant>>();

  variant(
    declaration: AbiDeclaration,
    entry: TriggerEntry,
    enrich: Enrich | undefined,
    handler: HandlerConfig | undefined,
  ): Variant {
    const byKey = this.#variants.get(entry) ?? new Map<string, Variant>();
    this.#variants.set(entry, byKey);
    const key = enrich && handler ? enrichmentKey(enrich, handler) : "";
    const known = byKey.get(key);
    if (known) return known;
    const variant: Variant = {
      declaration,
      entry,
      ordinal: key === "" ? 0 : [...byKey.keys()].filter((known) => known !== "").length + 1,
      ...(enrich && handler && { enrichment: { enrich, handler } }),
    };
    byKey.set(key, variant);
    return variant;
  }
}

/** The resolved keys of `enrich.handlers`. */
interface MatchedHandlers {
  readonly handlers: ReadonlyMap<TriggerEntry, HandlerConfig>;
  /** Handlers of triggers that the instance does not listen to. */
  readonly others: readonly (readonly [TriggerEntry, HandlerConfig])[];
}

/** Resolves each key of `enrich.handlers` to its trigger. */
function matchHandlers(
  instance: Instance,
  { abi, name }: AbiDeclaration,
  triggers: readonly TriggerEntry[],
  report: Report,
): MatchedHandlers {
  const listened = new Set(triggers);
  const matched = new Map<TriggerEntry, HandlerConfig>();
  const pool = {
    entries: [...abi.events, ...abi.functions],
    abiName: name.value,
    kinds: "event or function",
  };
  for (const handler of instance.enrich?.handlers ?? []) {
    const { signature } = handler;
    const entry = findEntry(signature, pool, report);
    if (!entry) continue;
    const earlier = matched.get(entry);
    if (earlier) {
      const message = `two handlers listen to ${entry.kind} ${quote(plainSignature(entry))}`;
      report.error("duplicate-handler", signature.at, message, {
        label: `the same ${entry.kind} again`,
        related: [{ at: earlier.signature.at, text: "the first one" }],
        hint: "merge them into one",
      });
    } else {
      matched.set(entry, handler);
    }
  }
  const isTrigger = ([entry]: [TriggerEntry, HandlerConfig]): boolean => listened.has(entry);
  return {
    handlers: new Map([...matched].filter(isTrigger)),
    others: [...matched].filter((pair) => !isTrigger(pair)),
  };
}

function reportNoTrigger(
  { signature }: HandlerConfig,
  entry: TriggerEntry,
  withCalls: boolean,
  report: Report,
): void {
  const name = quote(entry.name);
  if (entry.kind === "event") {
    const obstacle = undeliverable(entry);
    report.error("event-not-deliverable", signature.at, `event ${name} never reaches a subgraph`, {
      label: "this handler would never run",
      related: obstacle ? [obstacle.place] : [],
      notes: obstacle ? [obstacle.reason] : [],
      hint: "remove the handler",
    });
    return;
  }
  const related = [{ at: entry.locate(), text: `a ${entry.mutability} function` }];
  if (isStateChanging(entry) && !withCalls) {
    report.error("calls-not-enabled", signature.at, `${name} is a function, and call handlers are off`, {
      label: "this handler would never run",
      related,
      hint: 'set "enableCallHandlers": true at the top level',
    });
  } else {
    report.error(
      "function-never-triggers",
      signature.at,
      `calling function ${name} leaves no trace on the chain`,
      {
        label: "this handler would never run",
        related,
        hint: "name an event or a function that changes state",
      },
    );
  }
}
