import { quote } from "../../base/text/quote.js";
import type { Code } from "../diagnostics/catalog.js";
import type { Report } from "../diagnostics/report.js";
import type { EntityModel } from "../model/entity-model.js";
import type { Handler } from "../model/handler.js";
import type { OwnMappingModel, SubgraphModel } from "../model/subgraph.js";
import type { AbiDeclaration, OwnMapping, ValidProject } from "../validate/config.js";
import { AbiUsage, bindAbis, type UsedAbi } from "./bind-abis.js";
import { isPlanned, planCall, type WrittenCall } from "./calls/plan-call.js";
import { findMeetings } from "./check-overwrites.js";
import { layOutProject } from "./entities/lay-out.js";
import { readOwnTypes } from "./entities/read-own-types.js";
import type { ExpressionParser } from "./expression-parser.js";
import type { TriggerEntry } from "./find-triggers.js";
import { groupTemplates, nameTemplates } from "./group-templates.js";
import { findListeners, type InstanceListener, type Variant } from "./listen.js";
import { type DataSourceListener, reachChains } from "./reach-chains.js";
import { reportRepeated, withOwnEntries } from "./repeated-entries.js";
import type { BoundResolution, Resolution } from "./resolution.js";
import { checkImportNames, checkRefs } from "./resolve-enrichment.js";
import { type CallPlans, resolveHandlers } from "./resolve-handlers.js";
import { reportUnreachable } from "./unreachable-templates.js";

/** Errors that affect only their own part: the rest can still be compiled, to find further errors. */
const leavesHole: ReadonlySet<Code> = new Set<Code>([
  "unknown-key",
  "wrong-type",
  "wrong-value",
  "missing-key",
  "chain-case",
  "unknown-abi",
  "unknown-signature",
  "unknown-function",
  "ambiguous-function",
  "function-not-callable",
  "wrong-argument-count",
  "call-order",
  "call-not-made-yet",
  "unknown-call",
  "unknown-import",
  "unknown-parameter",
  "unknown-name",
  "wrong-trigger",
  "result-out-of-scope",
  "expression-syntax",
  "unavailable-function",
  "unknown-type",
  "duplicate-field",
  "duplicate-id",
  "field-not-set-yet",
  "field-type-conflict",
  "entity-overwritten",
  "mapping-unreadable",
  "mapping-schema",
  "unknown-mapping-handler",
]);

/**
 * Resolves all names and applies all defaults, so that emission only has to print.
 * @returns `undefined` after an error that prevents a model. After other errors, a partial model, only for finding
 *   further errors
 */
export function resolve(
  project: ValidProject,
  parser: ExpressionParser,
  report: Report,
): SubgraphModel | undefined {
  const repeated = new Map<TriggerEntry, readonly TriggerEntry[]>();
  const declarations = new Map(
    project.abis.map((declaration) => [declaration.name.value, withOwnEntries(declaration, repeated)]),
  );
  const resolution: Resolution = { declarations, parser, report };
  const listeners = findListeners(project, resolution);
  const variants = [...new Set(listeners.flatMap((listener) => listener.variants))];
  const calls = planCalls(variants, resolution);
  const usages = findUsages(variants, calls);
  reportRepeated(usages, repeated, report);
  const abis = bindAbis(usages, report);
  const bound: BoundResolution = { ...resolution, abis };
  const templates = nameTemplates(groupTemplates(listeners, resolution), abis);
  reportUnreachable(project, templates, report);
  const chains = reachChains(listeners.filter(isDataSource), templates);
  const { mapping } = project;
  const { schema } = mapping ?? {};
  const facts = {
    types: schema ? readOwnTypes(schema.document, schema.source, report) : [],
    readsReceipt: /\.receipt\b/.test(mapping?.file.text ?? ""),
  };
  const meetings = findMeetings(listeners, templates);
  const handlers = resolveHandlers(variants, templates, calls, meetings, facts, bound);
  if (report.failedBeyond(leavesHole) || chains.length === 0) return undefined;
  const own = mapping && modelOfMapping(mapping, handlers.ownTypes, [...abis.values()], report);
  // With other errors, the compiler's findings about a mapping may be consequences.
  const hasMapping = own !== undefined && !report.failed;
  const byVariant = hasMapping ? handlers.byVariant : withoutOwn(handlers.byVariant);
  return {
    name: project.name?.value,
    version: project.version,
    abis: [...abis.values()].map(({ model }) => model).sort((a, b) => (a.className < b.className ? -1 : 1)),
    entities: [...handlers.entities, ...(hasMapping ? handlers.ownTypes : [])],
    ...(hasMapping && { mapping: own }),
    ...layOutProject(chains, byVariant, bound),
  };
}

function isDataSource(listener: InstanceListener): listener is DataSourceListener {
  return listener.instance.kind === "data-source";
}

/** Resolves the function of every call, and so determines the called ABIs. */
function planCalls(variants: readonly Variant[], resolution: Resolution): CallPlans {
  const { declarations, report } = resolution;
  const plans = new Map<Variant, readonly WrittenCall[]>();
  for (const variant of variants) {
    const { enrichment } = variant;
    if (!enrichment) continue;
    const { enrich, handler } = enrichment;
    checkImportNames(enrich, report);
    checkRefs(handler.calls, report);
    plans.set(variant, [
      ...handler.brokenCalls.map((ref) => ({ ref, args: [] })),
      ...handler.calls.map((config) => {
        const declaration = config.abi ? declarations.get(config.abi.value) : variant.declaration;
        return planCall(config, declaration, resolution);
      }),
    ]);
  }
  return plans;
}

function findUsages(variants: readonly Variant[], calls: CallPlans): readonly AbiUsage[] {
  const usages = new Map<AbiDeclaration, AbiUsage>();
  const usageOf = (declaration: AbiDeclaration): AbiUsage => {
    const usage = usages.get(declaration) ?? new AbiUsage(declaration);
    usages.set(declaration, usage);
    return usage;
  };
  for (const { declaration, entry } of variants) usageOf(declaration).triggers.add(entry);
  for (const { declaration, fn, config } of [...calls.values()].flat().filter(isPlanned)) {
    usageOf(declaration).called.set(fn, config.name);
  }
  return [...usages.values()];
}

/**
 * Names the file of the user's own mapping. It is in the same folder as the generated files.
 * @param types the entity types that it declares
 */
function modelOfMapping(
  { file, path }: OwnMapping,
  types: readonly EntityModel[],
  abis: readonly UsedAbi[],
  report: Report,
): OwnMappingModel {
  const fileStem = path.value.slice(path.value.lastIndexOf("/") + 1, -".ts".length);
  const generated = ["mapping", "instances", ...abis.map(({ names }) => names.fileStem)];
  // Some file systems ignore case.
  if (generated.includes(fileStem.toLowerCase())) {
    report.error("mapping-unreadable", path.at, `the mapping cannot be named ${quote(`${fileStem}.ts`)}`, {
      label: "graphloom generates a file of this name beside it",
      hint: "rename the file",
    });
  }
  return { fileStem, file, types: types.map(({ name }) => name) };
}

/** Handlers that do not call a function of the user's own mapping. */
function withoutOwn<Variant>(handlers: ReadonlyMap<Variant, Handler>): ReadonlyMap<Variant, Handler> {
  return new Map([...handlers].map(([variant, { own, ...handler }]) => [variant, handler]));
}
