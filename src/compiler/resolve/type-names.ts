import { present } from "../../base/invariant.js";
import { quote } from "../../base/text/quote.js";
import type { Report } from "../diagnostics/report.js";
import type { EntityNames } from "../names/entity-names.js";
import { type BoundTrigger, entityAlias } from "./entities/name-entities.js";
import type { Variant } from "./listen.js";

/** Resolves entity names in the configuration. */
export class TypeNames {
  readonly #entityOf: ReadonlyMap<BoundTrigger, string>;
  readonly #triggerTypes: ReadonlySet<string>;
  readonly #own = new Map<string, string>();

  constructor(
    entityOf: ReadonlyMap<BoundTrigger, string>,
    variants: readonly Variant[],
    names: EntityNames,
    report: Report,
  ) {
    this.#entityOf = entityOf;
    this.#triggerTypes = new Set(entityOf.values());
    const aliases = new Set([...entityOf.keys()].map(entityAlias));
    const written = variants.flatMap(({ enrichment }) => enrichment?.handler.entities ?? []);
    const byName = new Map(written.map((entity) => [entity.name.value, entity.name]));
    for (const [wanted, place] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (this.#triggerTypes.has(wanted) || aliases.has(wanted)) continue;
      const { name, reason } = names.claim(wanted);
      this.#own.set(wanted, name);
      if (reason) {
        report.note("entity-renamed", place.at, `entity ${quote(wanted)} is renamed to ${quote(name)}`, {
          label: `queried as ${name}`,
          notes: [`${quote(wanted)} ${reason}`],
        });
      }
    }
  }

  ofTrigger(trigger: BoundTrigger): string {
    return present(this.#entityOf.get(trigger), "a trigger has no entity");
  }

  /** In order of precedence: the trigger's own name, names from its ABI, names from other ABIs, new names. */
  ofName(name: string, trigger: BoundTrigger): string {
    if (entityAlias(trigger) === name) return this.ofTrigger(trigger);
    if (this.#triggerTypes.has(name)) return name;
    const sameAlias = [...this.#entityOf].filter(([other]) => entityAlias(other) === name);
    const own = sameAlias.find(([{ abi }]) => abi === trigger.abi) ?? sameAlias[0];
    return own?.[1] ?? present(this.#own.get(name), "an entity name was not collected");
  }
}
