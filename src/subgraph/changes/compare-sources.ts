import { compareTriggers } from "./compare-triggers.js";
import { nameOf, type SourceFacts } from "./facts.js";
import { matchSources, type SourcePair } from "./match-sources.js";
import type { Finding, Reason } from "./reason.js";

/** Compares what two subgraphs listen to and what they store of it. */
export function compareSources(
  before: readonly SourceFacts[],
  after: readonly SourceFacts[],
): readonly Finding[] {
  const pairs = matchSources(before, after);
  const direct = pairs.flatMap((pair) => [...sourceFindings(pair), ...triggerFindings(pair)]);
  return [...direct, ...templateFindings(pairs), ...creationFindings(pairs, before, after)];
}

/** What of a source itself has changed. */
function sourceReasons({ before, after }: SourcePair): readonly Reason[] {
  if (!before && after)
    return [{ kind: "contract-added", text: `${nameOf(after)} was added`, place: after.place }];
  if (!after) return before ? [{ kind: "contract-removed", text: `${nameOf(before)} was removed` }] : [];
  const reasons: Reason[] = [];
  if (before && before.address !== after.address)
    reasons.push({
      kind: "address",
      text: `${after.name} on ${after.chain} is at ${after.address ?? "no address"}, before at ${before.address ?? "none"}`,
      place: after.addressPlace,
    });
  if (before && (before.startBlock ?? 0) !== (after.startBlock ?? 0))
    reasons.push({
      kind: "start-block",
      text: `${nameOf(after)} starts at block ${after.startBlock ?? 0}, before at ${before.startBlock ?? 0}`,
      place: after.startBlockPlace,
    });
  const hasCode = before?.mapping !== undefined && after.mapping !== undefined;
  if (hasCode && before.mapping !== after.mapping)
    reasons.push({
      kind: "mapping",
      text: `the code of ${nameOf(after)} is another one; a build does not tell for which of its entities that matters`,
    });
  return reasons;
}

function sourceFindings(pair: SourcePair): readonly Finding[] {
  const entities = new Set([...entitiesOf(pair.after), ...entitiesOf(pair.before)]);
  return sourceReasons(pair).flatMap((reason) => [...entities].map((entity) => ({ entity, reason })));
}

function triggerFindings({ before, after }: SourcePair): readonly Finding[] {
  return before && after ? compareTriggers(before, after) : [];
}

function entitiesOf(source: SourceFacts | undefined): readonly string[] {
  return source?.triggers.flatMap(({ stores }) => stores.map(({ entity }) => entity)) ?? [];
}

/** Who creates contracts decides about what these store, and so on down. */
function templateFindings(pairs: readonly SourcePair[]): readonly Finding[] {
  const templates = pairs.filter(({ before, after }) => (after ?? before)?.kind === "template");
  const found: Finding[] = [];
  const seen = new Set<string>();
  const follow = (creator: SourcePair, reason: Reason): void => {
    const created = new Set([creator.before, creator.after].flatMap(createdBy));
    for (const pair of templates) {
      const template = pair.after ?? pair.before;
      if (!template || template.chain !== (creator.after ?? creator.before)?.chain) continue;
      const key = `${template.chain} ${template.name} ${reason.text}`;
      if (!created.has(template.name) || seen.has(key)) continue;
      seen.add(key);
      const told = { ...reason, text: `${reason.text}, which creates ${template.name}` };
      found.push(...entitiesOf(template).map((entity) => ({ entity, reason: told })));
      follow(pair, reason);
    }
  };
  for (const pair of pairs) for (const reason of sourceReasons(pair)) follow(pair, reason);
  return found;
}

/** Templates whose contracts are created by other events than before. */
function creationFindings(
  pairs: readonly SourcePair[],
  before: readonly SourceFacts[],
  after: readonly SourceFacts[],
): readonly Finding[] {
  return pairs.flatMap(({ before: old, after: now }): readonly Finding[] => {
    if (!old || now?.kind !== "template") return [];
    const [was, is] = [creatorsOf(before, old), creatorsOf(after, now)];
    if (was === undefined || is === undefined || was === is) return [];
    const text = `contracts of ${nameOf(now)} are created by ${is}, before by ${was}`;
    return entitiesOf(now).map((entity) => ({
      entity,
      reason: { kind: "creation", text, place: now.place },
    }));
  });
}

/** What creates the contracts of a template; nothing where that is not known. */
function creatorsOf(sources: readonly SourceFacts[], template: SourceFacts): string | undefined {
  const triggers = sources
    .filter(({ chain }) => chain === template.chain)
    .flatMap((source) => source.triggers.map((trigger) => ({ source, trigger })));
  if (triggers.some(({ trigger }) => trigger.creates === undefined)) return undefined;
  const creators = triggers
    .filter(({ trigger }) => trigger.creates?.includes(template.name))
    .map(({ source, trigger }) => `${trigger.signature} of ${source.abi}`);
  return [...new Set(creators)].sort().join(" and ") || "nothing";
}

function createdBy(source: SourceFacts | undefined): readonly string[] {
  return source?.triggers.flatMap(({ creates }) => creates ?? []) ?? [];
}
