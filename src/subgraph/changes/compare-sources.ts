import { groupBy } from "../../base/group-by.js";
import { compareTriggers } from "./compare-triggers.js";
import { type SourceFacts, sourceTitle } from "./facts.js";
import type { Finding, Reason } from "./reason.js";

/** A source before and after a change. */
interface SourcePair {
  readonly before?: SourceFacts;
  readonly after?: SourceFacts;
}

/** Compares what two subgraphs listen to and store. */
export function compareSources(
  before: readonly SourceFacts[],
  after: readonly SourceFacts[],
): readonly Finding[] {
  const pairs = matchSources(before, after);
  const direct = pairs.flatMap((pair) => [...sourceFindings(pair), ...triggerFindings(pair)]);
  const creations = creationReasons(pairs, before, after);
  return [...direct, ...creations.flatMap(findingsOf), ...templateFindings(pairs, creations)];
}

/** The changes of a source itself. */
function sourceReasons({ before, after }: SourcePair): readonly Reason[] {
  if (!before && after)
    return [{ kind: "contract-added", text: `${sourceTitle(after)} was added`, place: after.place }];
  if (!after) return before ? [{ kind: "contract-removed", text: `${sourceTitle(before)} was removed` }] : [];
  const reasons: Reason[] = [];
  if (before && before.address !== after.address)
    reasons.push({
      kind: "address",
      text: `${after.name} on ${after.chain} is now at ${after.address ?? "no address"}, previously at ${before.address ?? "none"}`,
      place: after.addressPlace,
    });
  if (before && (before.startBlock ?? 0) !== (after.startBlock ?? 0))
    reasons.push({
      kind: "start-block",
      text: `${sourceTitle(after)} now starts at block ${after.startBlock ?? 0}, previously at ${before.startBlock ?? 0}`,
      place: after.startBlockPlace,
    });
  const hasCode = before?.mapping !== undefined && after.mapping !== undefined;
  if (hasCode && before.mapping !== after.mapping)
    reasons.push({
      kind: "mapping",
      text: `the code of ${sourceTitle(after)} changed; a build does not say which of its entities that affects`,
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

/** A reason why everything that a source stores must be reindexed, and the source. */
interface Caused {
  readonly pair: SourcePair;
  readonly reason: Reason;
}

function findingsOf({ pair, reason }: Caused): readonly Finding[] {
  return entitiesOf(pair.after ?? pair.before).map((entity) => ({ entity, reason }));
}

/** Changes to how contracts are created affect what those contracts store, recursively. */
function templateFindings(pairs: readonly SourcePair[], creations: readonly Caused[]): readonly Finding[] {
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
      found.push(...findingsOf({ pair, reason: told }));
      follow(pair, reason);
    }
  };
  for (const pair of pairs) for (const reason of sourceReasons(pair)) follow(pair, reason);
  for (const { pair, reason } of creations) follow(pair, reason);
  return found;
}

/**
 * Templates whose contracts are now created by different events, or whose addresses come from different event
 * parameters.
 */
function creationReasons(
  pairs: readonly SourcePair[],
  before: readonly SourceFacts[],
  after: readonly SourceFacts[],
): readonly Caused[] {
  // A renamed ABI is the same ABI.
  const abis = new Map(
    pairs.flatMap((pair) => (pair.before && pair.after ? [[pair.before, pair.after.abi]] : [])),
  );
  return pairs.flatMap((pair): readonly Caused[] => {
    const { before: old, after: now } = pair;
    if (!old || now?.kind !== "template") return [];
    const was = creatorsOf(before, old, (source) => abis.get(source) ?? source.abi);
    const is = creatorsOf(after, now, ({ abi }) => abi);
    if (!was || !is || creatorsKey(was) === creatorsKey(is)) return [];
    const isByParameter = creatorsText(was, false) === creatorsText(is, false);
    const [from, to] = [creatorsText(was, isByParameter), creatorsText(is, isByParameter)];
    const text = `contracts of ${sourceTitle(now)} are now created by ${to}, previously by ${from}`;
    return [{ pair, reason: { kind: "creation", text, place: now.place } }];
  });
}

/** An event that creates contracts from a template. */
interface Creator {
  /** `PoolCreated(address) of Factory` */
  readonly event: string;
  readonly parameter: string;
  readonly position: number;
}

function creatorsKey(creators: readonly Creator[]): string {
  return [...new Set(creators.map(({ event, position }) => `${event} ${position}`))].sort().join(", ");
}

function creatorsText(creators: readonly Creator[], withParameter: boolean): string {
  const texts = creators.map(
    ({ event, parameter }) => `${event}${withParameter ? ` at its parameter ${parameter}` : ""}`,
  );
  return [...new Set(texts)].sort().join(" and ") || "nothing";
}

/** The events that create a template's contracts; `undefined` if unknown. */
function creatorsOf(
  sources: readonly SourceFacts[],
  template: SourceFacts,
  abiOf: (source: SourceFacts) => string,
): readonly Creator[] | undefined {
  const triggers = sources
    .filter(({ chain }) => chain === template.chain)
    .flatMap((source) => source.triggers.map((trigger) => ({ source, trigger })));
  if (triggers.some(({ trigger }) => trigger.creates === undefined)) return undefined;
  return triggers.flatMap(({ source, trigger: { signature, creates = [] } }) =>
    creates
      .filter((creation) => creation.template === template.name)
      .map(({ parameter, position }) => ({ event: `${signature} of ${abiOf(source)}`, parameter, position })),
  );
}

function createdBy(source: SourceFacts | undefined): readonly string[] {
  return source?.triggers.flatMap(({ creates = [] }) => creates.map(({ template }) => template)) ?? [];
}

/**
 * Matches sources with the same address and ABI. If one source of an ABI is then left on each side, it has moved.
 * Templates have no address and match by name.
 * @returns every source once, in the new order; removed sources come last
 */
function matchSources(before: readonly SourceFacts[], after: readonly SourceFacts[]): readonly SourcePair[] {
  const keys = [
    ({ kind, chain, abi, address, name }: SourceFacts) => [kind, chain, abi, address ?? name].join(" "),
    ({ kind, chain, abi }: SourceFacts) => [kind, chain, abi].join(" "),
    // The same contract with a renamed ABI.
    ({ kind, chain, address }: SourceFacts) => [kind, chain, address ?? "nowhere"].join(" "),
  ];
  const found = new Map<SourceFacts, SourceFacts>();
  for (const [round, key] of keys.entries()) {
    const known = new Set(found.values());
    const left = groupBy(
      before.filter((one) => !known.has(one)),
      key,
    );
    const wanting = groupBy(
      after.filter((one) => !found.has(one)),
      key,
    );
    for (const [text, sources] of wanting) {
      const candidates = left.get(text) ?? [];
      // In the first round, identical sources are interchangeable. Later, a match must be the only one
      // possible.
      if (round > 0 && (sources.length > 1 || candidates.length > 1)) continue;
      for (const [index, source] of sources.entries()) {
        const candidate = candidates[index];
        if (candidate) found.set(source, candidate);
      }
    }
  }
  const known = new Set(found.values());
  return [
    ...after.map((source): SourcePair => {
      const old = found.get(source);
      return old ? { before: old, after: source } : { after: source };
    }),
    ...before.filter((source) => !known.has(source)).map((source): SourcePair => ({ before: source })),
  ];
}
