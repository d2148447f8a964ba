import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { Report } from "../../compiler/diagnostics/report.js";
import type { Host } from "../../compiler/host.js";
import { type LocatedString, positionAt } from "../../compiler/source/source.js";
import { toPlain } from "../../compiler/source/to-plain.js";
import { member, type TreeNode } from "../../compiler/source/tree.js";
import type { DefinedPipeline } from "../definition/definition.js";
import type { ReadAddress } from "../definition/fetch-abis.js";
import { loadDefinition } from "../definition/load-definition.js";
import { readSubgraphs } from "../definition/read-subgraphs.js";
import type { PipelinePlan, PlannedSink, PlannedSource, PlannedTransform } from "../plan/pipeline-plan.js";
import type { SubgraphCatalog } from "../plan/subgraph-catalog.js";
import { allSinks } from "../sinks/all-sinks.js";
import type { DefinitionMeaning, DefinitionText, Finding, TopologyNode } from "./pipeline-engine.js";
import { type PlanningWorld, planDefinition } from "./plan-definition.js";
import { isResourceSize, type ResourceSize } from "./resource-sizes.js";

/** What checking a definition needs. */
export interface CheckWorld extends Pick<PlanningWorld, "memory"> {
  readonly subgraphs: SubgraphCatalog;
  /** The value of a secret; `undefined` if there is none. */
  secret(name: string): Promise<string | undefined>;
  /** What fetches ABIs that queries name by their addresses. */
  readonly read: ReadAddress;
}

export interface PlannedDefinition {
  readonly findings: readonly Finding[];
  /** Set if there is no error. */
  readonly sound?: {
    readonly plan: PipelinePlan;
    readonly meaning: DefinitionMeaning;
    /** The values of its secrets by name. */
    readonly secrets: ReadonlyMap<string, string>;
  };
}

/** Checks a definition, and finds out what it means. Nothing is asked of its sinks. */
export async function checkDefinition(
  { text, variables, abis: fetched, engine }: DefinitionText,
  { memory, subgraphs, secret, read }: CheckWorld,
): Promise<PlannedDefinition> {
  const report = new Report();
  const variable = (name: string): string | undefined =>
    Object.hasOwn(variables, name) ? variables[name] : undefined;
  const world = { host: textHost(text), variables: variable, sinkTypes: allSinks, read, noFiles };
  const loaded = await loadDefinition("definition", { ...world, ...(fetched && { abis: fetched }) }, report);
  if (!loaded) return { findings: report.diagnostics.map(findingOf) };
  const { definition, written, abis } = loaded;
  const size = sizeIn(written);
  const named = secretNames(definition);
  const secrets = new Map<string, string>();
  for (const name of named) {
    const value = secrets.get(name.value) ?? (await secret(name.value));
    if (value !== undefined) secrets.set(name.value, value);
    else
      report.error("unknown-secret", name.at, `there is no secret "${name.value}" in this project`, {
        hint: `create it: graphloom secret create --name ${name.value}`,
      });
  }
  const planning = {
    memory,
    secret: (name: string) => secrets.get(name),
    openSubgraphs: async () => subgraphs,
    flinkIntegers: engine?.integers,
  };
  const { plan } = await planDefinition(definition, planning, report);
  const findings = report.diagnostics.map(findingOf);
  if (!plan || report.failed) return { findings };
  const own = { document: toPlain(written), abis, ...(size !== undefined && { size }) };
  return { findings, sound: { plan, meaning: { ...meaningOf(definition, plan, named), ...own }, secrets } };
}

const noFiles = "a server has no files of a definition";

/** The resource size of a definition, if it has a valid one. */
function sizeIn(tree: TreeNode): ResourceSize | undefined {
  const found = member(tree, "resource_size")?.value;
  return found?.kind === "string" && isResourceSize(found.value) ? found.value : undefined;
}

/** A host with one file. */
function textHost(text: string): Host {
  const bytes = new TextEncoder().encode(text);
  const none = async (): Promise<never> => {
    throw new Error("a definition has no files beside it");
  };
  return {
    readFile: async (_, limit) =>
      bytes.length > limit ? { kind: "too-large", size: bytes.length } : { kind: "bytes", bytes },
    resolveBeside: (_, relative) => relative,
    packageSources: none,
    readTemplate: none,
  };
}

function findingOf({ severity, code, message, at, hint }: Diagnostic): Finding {
  const field = at?.pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");
  return {
    severity,
    code,
    message,
    ...(field !== undefined && field !== "" && { field }),
    ...(at && { ...positionAt(at.source, at.start), length: at.end - at.start }),
    ...(hint !== undefined && { hint }),
  };
}

/** Everywhere that a definition names a secret. */
function secretNames({
  sources,
  transforms,
  lookups = [],
  sinks,
}: DefinedPipeline): readonly LocatedString[] {
  return [...sources, ...transforms, ...lookups, ...sinks].flatMap(({ settings }) => {
    const { secret_name: name } = settings as { readonly secret_name?: LocatedString };
    return name ? [name] : [];
  });
}

function meaningOf(
  definition: DefinedPipeline,
  { name, job, sources, transforms, sinks }: PipelinePlan,
  secrets: readonly LocatedString[],
): Omit<DefinitionMeaning, "document" | "size" | "abis"> {
  return {
    name,
    job,
    form: definition.form,
    nodes: [...sources.map(sourceNode), ...transforms.map(transformNode), ...sinks.map(sinkNode)],
    secrets: [...new Set(secrets.map(({ value }) => value))],
    subgraphs: definition.sources.flatMap((source) =>
      source.type === "subgraph_entity" && source.settings.subgraphs
        ? (readSubgraphs(source.settings.subgraphs, new Report()) ?? []).map(
            ({ name: subgraph, version }) => ({
              name: subgraph.value,
              version: version?.value,
            }),
          )
        : [],
    ),
  };
}

function sourceNode({ name, definition, schema }: PlannedSource): TopologyNode {
  return { name, kind: "source", type: definition.type, reads: [], ...schemaOf(schema) };
}

function transformNode({ name, definition, reads, schema }: PlannedTransform): TopologyNode {
  return { name, kind: "transform", type: definition.type, reads, ...schemaOf(schema) };
}

function sinkNode({ name, definition, from, schema }: PlannedSink): TopologyNode {
  return { name, kind: "sink", type: definition.type, reads: [from], ...schemaOf(schema) };
}

function schemaOf({ columns, key }: PlannedSink["schema"]): Pick<TopologyNode, "columns" | "key"> {
  return { columns: columns.map(({ name, type }) => ({ name, type })), key: [...key] };
}
