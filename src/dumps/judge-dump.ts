import { messageOf } from "../base/text/message-of.js";
import { layOut } from "../store/tables/lay-out.js";
import { BundleError } from "../subgraph/bundle-error.js";
import type { Manifest } from "../subgraph/manifest/manifest.js";
import { parseManifest } from "../subgraph/manifest/parse-manifest.js";
import { type EntitySchema, SchemaError } from "../subgraph/schema/entity-schema.js";
import { readEntitySchema } from "../subgraph/schema/read-entity-schema.js";
import { DumpError } from "./dump-error.js";
import type { DumpFiles } from "./dump-files.js";
import { readDumpFolder, readDumpText } from "./dump-folder.js";
import { type DumpMetadata, type DumpTable, metadataName, printMetadata } from "./dump-metadata.js";
import { dataSourcesType, proofsType, type StoredTable, storedTables } from "./dump-tables.js";

/** A dump whose metadata and schema fit together. Its other files were not read. */
export interface JudgedDump {
  readonly metadata: DumpMetadata;
  /** The metadata, printed in one form. */
  readonly text: string;
  readonly schema: string;
  readonly entities: EntitySchema;
  /** The tables that the metadata lists. */
  readonly tables: readonly StoredTable[];
  /** Names of the manifest's data sources, then of its templates; missing if the dump does not tell. */
  readonly sourceNames: readonly string[] | undefined;
  readonly hasProofs: boolean;
}

/** Reads and judges the metadata and the schema of a dump. @throws DumpError */
export async function judgeDump(files: DumpFiles): Promise<JudgedDump> {
  const metadata = await readDumpFolder(files);
  if (!metadata)
    throw new DumpError(`the folder has no ${metadataName}`, {
      hint: "Name the folder of a dump. A dump that was interrupted has none until it is repeated.",
    });
  const schema = await readDumpText(files, "schema.graphql");
  if (schema === undefined) throw new DumpError("the folder has no schema.graphql");
  return judgeTexts(metadata, schema, await readDumpText(files, "subgraph.yaml"));
}

/**
 * Judges the metadata of a dump and the schema.
 * @param manifest the content of `subgraph.yaml`, if there is one
 * @throws DumpError
 */
export function judgeTexts(metadata: DumpMetadata, schema: string, manifest: string | undefined): JudgedDump {
  if (!/^\d{1,4}\.\d{1,4}\.\d{1,4}$/.test(metadata.manifest.specVersion))
    throw new DumpError(`${metadataName}: spec_version is not a version: ${metadata.manifest.specVersion}`);
  const entities = readSchema(schema);
  const tables = tablesOf(entities, metadata);
  judgeTables(tables, metadata);
  if (!metadata.tables.has(dataSourcesType) && mayHaveTemplates(manifest))
    throw new DumpError(
      `${metadataName} has no table ${dataSourcesType}, so the contracts that templates were created for are missing`,
      { hint: "Dump it again, or index it from its first block." },
    );
  return {
    metadata,
    text: printMetadata(metadata),
    schema,
    entities,
    tables: tables.filter(({ type }) => metadata.tables.has(type)),
    sourceNames: metadata.own?.sourceNames ?? namesIn(manifest),
    hasProofs: metadata.tables.has(proofsType),
  };
}

function readSchema(schema: string): EntitySchema {
  try {
    return readEntitySchema(schema);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new DumpError(`schema.graphql cannot be read: ${error.message}`, { cause: error });
  }
}

function tablesOf(entities: EntitySchema, { manifest }: DumpMetadata): readonly StoredTable[] {
  const unknown = manifest.fileTypes.find((type) => !entities.types.has(type));
  if (unknown !== undefined)
    throw new DumpError(
      `${metadataName}: entities_with_causality_region names ${unknown}, which is not in schema.graphql`,
    );
  try {
    return storedTables(layOut(entities, "sgd", { fileTypes: new Set(manifest.fileTypes) }), true);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw new DumpError(`schema.graphql has no tables: ${messageOf(error)}`, { cause: error });
  }
}

/** @throws DumpError if the tables are not those of the schema, or their files do not follow each other */
function judgeTables(tables: readonly StoredTable[], { tables: listed }: DumpMetadata): void {
  const known = new Map(tables.map((table) => [table.type, table]));
  for (const [type, files] of listed) {
    const table = known.get(type);
    if (!table) throw new DumpError(`${metadataName} has the table ${type}, which is not in schema.graphql`);
    judgeTable(table, files);
  }
  const missing = tables.find(
    ({ type }) => !listed.has(type) && type !== proofsType && type !== dataSourcesType,
  );
  if (missing)
    throw new DumpError(`${metadataName} has no table ${missing.type}, whose type is in schema.graphql`);
}

function judgeTable({ type, immutable, causalityRegion }: StoredTable, files: DumpTable): void {
  const wrong = (what: string): DumpError => new DumpError(`${metadataName}: ${type} ${what}`);
  if (files.immutable !== immutable) throw wrong(`is ${immutable ? "" : "not "}immutable in schema.graphql`);
  if (files.hasCausalityRegion !== causalityRegion)
    throw wrong("has a causality region only in one of the table and the manifest");
  if (immutable && files.clamps.length > 0) throw wrong("is immutable, and has clamps");
  let last = -1n;
  for (const { file, minVid, maxVid } of files.chunks) {
    if (minVid <= last) throw wrong(`has vid ${minVid} in ${file}, after vid ${last} in the file before`);
    last = maxVid;
  }
  if (files.maxVid !== last)
    throw wrong(`has the max_vid ${files.maxVid}, and its last file ends with ${last}`);
  const names = [...files.chunks, ...files.clamps].map(({ file }) => file);
  if (new Set(names).size < names.length) throw wrong("has a file twice");
}

/** Whether a manifest has templates, or cannot tell. */
export function mayHaveTemplates(manifest: string | undefined): boolean {
  const data = manifest === undefined ? undefined : manifestData(manifest);
  return !data || (data.templates ?? []).length > 0;
}

/** The names of data sources and templates in a manifest, if it has them. */
function namesIn(manifest: string | undefined): readonly string[] | undefined {
  const data = manifest === undefined ? undefined : manifestData(manifest);
  return data && [...data.dataSources, ...(data.templates ?? [])].map(({ name }) => String(name));
}

/** What a manifest says; `undefined` if it cannot be read, which is not a reason to refuse the rows. */
function manifestData(manifest: string): Manifest | undefined {
  try {
    return parseManifest(manifest).toData();
  } catch (error) {
    if (error instanceof BundleError) return undefined;
    throw error;
  }
}
