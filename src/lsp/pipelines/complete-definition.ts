import { memberAt } from "../../compiler/source/tree.js";
import { catalogOf, groups } from "../../datasets/catalog/catalog.js";
import { datasetKinds, versionsOf } from "../../datasets/tables/dataset.js";
import { datasets } from "../../datasets/tables/datasets.js";
import type { Setting, Shape } from "../../pipelines/definition/shape.js";
import type { Proposal } from "../complete.js";
import { textAt } from "../handler-at.js";
import { type DefinitionNode, datasetOf, describeNode, isSql, nodeNamed, nodesOf } from "./nodes.js";
import { aboutSetting, isPart, settingAt, shapeAt, topSettings, typesOf } from "./settings-at.js";
import { tableReferences } from "./table-references.js";
import type { DefinitionPlace } from "./typed-definition.js";

/** What can be written at a place of a definition. */
export function completeDefinition(place: DefinitionPlace): readonly Proposal[] {
  const { cursor, source, word } = place;
  const isYaml = /\.ya?ml$/i.test(source.path);
  const isKey = cursor.kind === "key" || (cursor.kind === "between" && !isYaml);
  const all = isKey ? keysAt(place) : cursor.kind === "value" ? valuesAt(place) : [];
  const isText = cursor.text !== undefined && source.text.slice(0, word.start).endsWith('"');
  const hasColon = /^["']?[ \t]*:/.test(source.text.slice(word.end, word.end + 10));
  return all.map((proposal) => {
    const { label, kind } = proposal;
    // In JSON, what is not in quotes yet gets them. In YAML, a key gets its colon.
    if (!isYaml) return isText || isInSql(place) ? proposal : { ...proposal, written: JSON.stringify(label) };
    return kind === "key" && !hasColon && !isText ? { ...proposal, written: `${label}: ` } : proposal;
  });
}

function isInSql({ tree, cursor }: DefinitionPlace): boolean {
  return cursor.kind === "value" && isSql(tree, cursor.path);
}

function keysAt({ tree, cursor }: DefinitionPlace): readonly Proposal[] {
  const { path, kind, inside } = cursor;
  if (inside.kind !== "object") return [];
  const own = kind === "key" ? path.slice(0, -1) : path;
  const current = kind === "key" ? path.at(-1) : undefined;
  const isFree = (name: string): boolean =>
    name === current || !inside.members.some(({ key }) => key.value === name);
  if (own[0] === "tests" && own.length === 3)
    return nodesOf(tree)
      .filter(({ part, key }) => part !== "lookups" && isFree(key.value))
      .map((node) => reference(node, "key"));
  if (own.length === 0) return settings(topSettings).filter(({ label }) => isFree(label));
  const [part] = own;
  if (own.length !== 2 || !isPart(part)) return [];
  const type: Proposal = { label: "type", kind: "key", about: `One of ${typesOf(part).join(", ")}.` };
  return [type, ...settings(shapeAt(tree, own) ?? {})].filter(({ label }) => isFree(label));
}

/** Settings that have an effect, required ones first. */
function settings(shape: Shape): readonly Proposal[] {
  const useful = Object.entries(shape).filter(([, { idle }]) => idle === undefined);
  const rank = ([, { required }]: readonly [string, Setting]): number => (required ? 0 : 1);
  return useful
    .sort((one, other) => rank(one) - rank(other))
    .map(([label, setting]) => ({
      label,
      kind: "key",
      ...(setting.required && { detail: "required" }),
      about: aboutSetting(setting),
    }));
}

function valuesAt(place: DefinitionPlace): readonly Proposal[] {
  const { tree, cursor, word } = place;
  const { path } = cursor;
  const [part, name, setting] = path;
  if (path.length === 3 && isPart(part) && setting === "type")
    return typesOf(part).map((label) => ({ label, kind: "value", detail: part.replace(/s$/, "") }));
  if (isInSql(place)) return inSql(place);
  if (path.length === 3 && setting === "from")
    return nodesOf(tree)
      .filter((node) => node.key.value !== name && canBeRead(node, part))
      .map((node) => reference(node, "value"));
  if (part === "sources" && setting === "dataset_name") return datasetsFrom(word.text);
  if (part === "sources" && setting === "version" && name !== undefined) {
    const node = nodeNamed(tree, name);
    const dataset = node && datasetOf(node);
    return dataset ? versionsOf(datasets[dataset.kind]).map((label) => ({ label, kind: "value" })) : [];
  }
  const known = settingAt(tree, path);
  return known ? valuesOf(known) : [];
}

function valuesOf(setting: Setting): readonly Proposal[] {
  const words: Partial<Record<Setting["type"], readonly string[]>> = {
    boolean: ["true", "false"],
    start: ["earliest", "latest"],
  };
  const values = setting.values ?? words[setting.type] ?? [];
  return values.map((label) => ({
    label,
    kind: "value",
    ...(String(setting.default) === label && { detail: "the default" }),
    about: aboutSetting(setting),
  }));
}

/** Sinks may read other sinks, for the rows that these refuse. */
function canBeRead({ part, type }: DefinitionNode, reader: string | undefined): boolean {
  if (part === "sinks") return reader === "sinks";
  return part !== "lookups" && type !== "dynamic_table";
}

function reference(node: DefinitionNode, kind: "key" | "value"): Proposal {
  return { label: node.key.value, kind, detail: describeNode(node) };
}

/** All datasets of a chain once its name is written, and before that the chains. */
function datasetsFrom(written: string): readonly Proposal[] {
  const dot = written.indexOf(".");
  if (dot === -1)
    return groups.map(({ prefix }) => ({ label: `${prefix}.`, kind: "value", detail: "chain" }));
  const prefix = written.slice(0, dot);
  const chain = groups.find((one) => one.prefix === prefix);
  const entries = chain
    ? catalogOf(chain).map((entry) => ({ name: entry.name, dataset: entry.dataset }))
    : datasetKinds.map((kind) => ({ name: `${prefix}.${kind}`, dataset: datasets[kind] }));
  return entries.map(({ name, dataset: { version, description } }) => ({
    label: name,
    kind: "value",
    detail: version,
    about: description,
  }));
}

/** Behind FROM and JOIN the nodes; elsewhere the columns of the datasets that are read. */
function inSql({ tree, cursor, source, word }: DefinitionPlace): readonly Proposal[] {
  const [part, name = ""] = cursor.path;
  const sql = cursor.text?.string.value ?? "";
  const nodes = nodesOf(tree);
  if (part === "sources") {
    const own = memberAt(tree, [part, name]);
    return own ? columnsOf({ type: textAt(own, "type"), value: own }) : [];
  }
  if (/\b(?:from|join)\s+["\w.-]*$/i.test(source.text.slice(Math.max(0, word.start - 100), word.end)))
    return nodes
      .filter((node) => node.part !== "sinks" && node.key.value !== name)
      .map((node) => reference(node, "value"));
  const named = new Set(tableReferences(sql).map((one) => one.name));
  const read = nodes.filter(({ key }) => named.has(key.value.toLowerCase()));
  const columns = new Map(read.flatMap(columnsOf).map((column) => [column.label, column] as const));
  return [...columns.values()];
}

function columnsOf(node: Pick<DefinitionNode, "type" | "value">): readonly Proposal[] {
  return (datasetOf(node)?.columns ?? []).map(({ name, type, description }) => ({
    label: name,
    kind: "field",
    detail: type,
    about: description,
  }));
}
