import type { DocumentNode } from "graphql";
import { quotePath } from "../../../base/text/quote.js";
import type { Report } from "../../diagnostics/report.js";
import type { Source } from "../../source/source.js";
import { type ProjectManifest, textAt } from "../manifest/project-manifest.js";
import type { ProjectFiles } from "../project-files.js";
import { checkSchema, type SchemaRules } from "./check-schema.js";

/** A project's schema, parsed. */
export interface ReadSchema {
  /** Its path in the manifest. */
  readonly file: string;
  readonly text: string;
  readonly document: DocumentNode;
}

/** Maximum number of tokens in a schema, far beyond any real one. */
const mostTokens = 1_000_000;

/**
 * Reads and checks the schema that a manifest names.
 * @returns `undefined` after a reported error
 */
export async function readSchema(
  manifest: ProjectManifest,
  files: ProjectFiles,
  rules: SchemaRules,
  report: Report,
): Promise<ReadSchema | undefined> {
  const file = textAt(manifest.tree, ["schema", "file"]);
  if (file === undefined) return undefined;
  const read = await files.read(file);
  if (read.kind !== "text") {
    report.error(
      "manifest-file",
      manifest.locate(["schema", "file"]),
      `the schema ${quotePath(file)} ${read.reason}`,
    );
    return undefined;
  }
  const source: Source = { path: files.hostPath(file), text: read.text };
  const document = await parseSchema(source, report);
  if (!document) return undefined;
  const before = report.errorCount;
  checkSchema(document, source, rules, report);
  return report.errorCount > before ? undefined : { file, text: read.text, document };
}

/**
 * Parses a schema. Only this function loads the parser.
 * @returns `undefined` after a reported error
 */
export async function parseSchema(source: Source, report: Report): Promise<DocumentNode | undefined> {
  const { GraphQLError, parse } = await import("graphql");
  try {
    return parse(source.text, { maxTokens: mostTokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const [start = 0] = error.positions ?? [];
    const message = error.message.replace(/^Syntax Error: /, "").replace(/\.$/, "");
    const at = { source, pointer: "", start, end: start + 1 };
    report.error("project-schema", at, `the schema is not valid GraphQL: ${message}`);
    return undefined;
  }
}
