import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import { type ReadableEntities, readableEntities } from "../../store/deployments/readable-entities.js";
import type { EntityTable } from "../../store/tables/layout.js";
import type { SourceDefinition } from "../definition/definition.js";
import { readSubgraphs, type SubgraphReference } from "../definition/read-subgraphs.js";
import { chainColumn, type EntitySourceColumn, entityColumns } from "../sources/entities/entity-columns.js";
import type { EntityPart } from "../sources/entities/entity-source.js";
import type { PlannedEntity } from "./pipeline-plan.js";
import type { LookedUp, SubgraphCatalog, UnreadSubgraphs } from "./subgraph-catalog.js";

type EntityDefinition = Extract<SourceDefinition, { readonly type: "subgraph_entity" }>;

/** The plan of an entity: `unread` if its subgraphs could not be looked up, which is reported as a note. */
export type EntityLookup = PlannedEntity | "unread" | undefined;

type FoundSubgraph = Extract<LookedUp, { readonly kind: "found" }>;

/** The entity of one subgraph, with its columns. */
interface PlannedPart extends EntityPart {
  readonly reference: SubgraphReference;
  readonly columns: readonly EntitySourceColumn[];
}

/**
 * Looks up the entity of a source in its subgraphs, which must have the same columns.
 * @returns `undefined` after a reported error
 */
export async function planEntity(
  { settings }: EntityDefinition,
  subgraphs: SubgraphCatalog | UnreadSubgraphs,
  report: Report,
): Promise<EntityLookup> {
  const { name, subgraphs: listed, start_at: start } = settings;
  if (typeof start?.value === "number")
    report.error("wrong-value", start.at, '"start_at" of an entity must be earliest or latest', {
      hint: "write earliest for all rows that exist, or latest for changes from now on",
    });
  const references = listed && readSubgraphs(listed, report);
  if (!name || !references) return undefined;
  if ("why" in subgraphs) {
    const { why, hint = "pass --database or --data, as the command that indexes the subgraph has them" } =
      subgraphs;
    report.note("subgraph-unread", name.at, `what reads this entity was not checked: ${why}`, { hint });
    return "unread";
  }
  const parts: PlannedPart[] = [];
  for (const reference of references) {
    const found = await findSubgraph(reference, subgraphs, report);
    const part = found && planPart(name, reference, found, references.length > 1, report);
    if (part) parts.push(part);
  }
  const [first] = parts;
  if (!first || parts.length < references.length || !areAlike(first, parts, report)) return undefined;
  return { parts, columns: first.columns };
}

async function findSubgraph(
  { name, version }: SubgraphReference,
  subgraphs: SubgraphCatalog,
  report: Report,
): Promise<FoundSubgraph | undefined> {
  const found = await subgraphs.find(name.value, version?.value);
  if (found.kind === "found") return found;
  const refuse = (at: LocatedString, message: string, hint: string): void => {
    report.error("unknown-subgraph", at.at, message, { hint });
  };
  switch (found.kind) {
    case "unknown-name":
      refuse(name, `the database has no subgraph ${quote(name.value)}`, nameHint(name.value, found));
      return undefined;
    case "unknown-version":
      if (version)
        refuse(
          version,
          `subgraph ${quote(name.value)} has no version or tag ${quote(version.value)}`,
          `it has ${found.versions.join(", ")}`,
        );
      return undefined;
    case "ambiguous":
      refuse(
        name,
        `several builds are called ${quote(name.value)}`,
        `write the deployment id of a build as the name instead: ${found.builds.join(" or ")}`,
      );
      return undefined;
    case "unreadable":
      refuse(
        name,
        `subgraph ${quote(name.value)} cannot be read: ${found.why}`,
        "read a dataset of its chain instead",
      );
      return undefined;
  }
}

function nameHint(name: string, { names }: Extract<LookedUp, { readonly kind: "unknown-name" }>): string {
  if (names.length === 0) return "index it first: graphloom run --database, or graphloom serve";
  const [near] = suggest(name, names);
  return near === undefined ? `it has ${names.slice(0, 10).join(", ")}` : `write ${near}`;
}

function planPart(
  name: LocatedString,
  reference: SubgraphReference,
  { deployment, isPaused }: FoundSubgraph,
  isUnion: boolean,
  report: Report,
): PlannedPart | undefined {
  const entities = readableEntities(deployment);
  const label = [reference.name.value, reference.version?.value].filter(Boolean).join(" ");
  const table = findTable(name, label, entities, report);
  if (!table) return undefined;
  const { id, deployment: build, network } = deployment;
  return {
    reference,
    label,
    build,
    isPaused,
    network,
    deployment: id,
    layout: entities.layout,
    table,
    columns: entityColumns(table, entities.fieldTypes(table), isUnion),
  };
}

/** An entity's table by either spelling of its name. */
function findTable(
  { value, at }: LocatedString,
  label: string,
  { layout: { tables }, interfaces }: ReadableEntities,
  report: Report,
): EntityTable | undefined {
  const found = tables.filter(({ name, type }) => name === value || type === value);
  if (found.length === 1) return found[0];
  const refuse = (message: string, hint: string): undefined => {
    report.error("unknown-entity", at, message, { hint });
  };
  if (found.length > 1)
    return refuse(
      `${quote(value)} is an aggregation with a table for each interval`,
      `write ${found.map(({ name }) => name).join(" or ")}`,
    );
  const types = interfaces.get(value);
  if (types)
    return refuse(
      `${quote(value)} is an interface, which has no rows of its own`,
      types.length === 0
        ? "name an entity"
        : `write a source for each of ${types.join(", ")}, and combine them with UNION ALL`,
    );
  const [near] = suggest(
    value,
    tables.flatMap(({ name, type }) => [type, name]),
  );
  return refuse(
    `subgraph ${label} has no entity ${quote(value)}`,
    near === undefined ? `it has ${tables.map(({ name }) => name).join(", ")}` : `write ${near}`,
  );
}

/** Whether the parts of a union have the same columns and belong to different chains. */
function areAlike(first: PlannedPart, parts: readonly PlannedPart[], report: Report): boolean {
  const networks = new Map<string, string>();
  let isSound = true;
  const refuse = ({ reference }: PlannedPart, message: string, hint: string): void => {
    isSound = false;
    report.error("subgraphs-differ", reference.at, message, { hint });
  };
  for (const part of parts) {
    const { label, network } = part;
    const other = networks.get(network);
    if (other !== undefined)
      refuse(
        part,
        `${label} and ${other} are both of ${network}, so their rows could not be told apart by ${chainColumn}`,
        "write a source for each, and combine them with UNION ALL",
      );
    networks.set(network, label);
    const difference = differenceOf(part, first);
    if (difference !== undefined)
      refuse(
        part,
        difference,
        "write a source for each, and combine the columns that they share with UNION ALL",
      );
  }
  return isSound;
}

/** The first difference between the columns of two parts. */
function differenceOf(part: PlannedPart, first: PlannedPart): string | undefined {
  for (const { name, type } of first.columns) {
    const own = part.columns.find((column) => column.name === name);
    if (!own) return `${part.label} has no column ${name}, and ${first.label} has`;
    if (own.type !== type)
      return `column ${name} is ${own.type} in ${part.label}, and ${type} in ${first.label}`;
  }
  const more = part.columns.find(({ name }) => !first.columns.some((column) => column.name === name));
  return more && `${part.label} has a column ${more.name}, and ${first.label} has not`;
}
