import type { DocumentNode } from "graphql";
import { quotePath } from "../../base/text/quote.js";
import type { Report } from "../diagnostics/report.js";
import type { Host } from "../host.js";
import { decodeText } from "../parse/decode-text.js";
import { whyUnread } from "../parse/why-unread.js";
import type { Source } from "../source/source.js";
import { member, type StringNode, type TreeNode } from "../source/tree.js";
import type { LoadedMapping } from "./loaded-project.js";

/** Size limit in bytes of the mapping and of its schema. */
const limit = 4 * 1024 * 1024;

/**
 * Reads the user's own mapping, and parses the entity types that it stores.
 * @returns `undefined` if there is none, or after a reported error
 */
export async function loadMapping(
  config: TreeNode,
  configPath: string,
  host: Host,
  report: Report,
): Promise<LoadedMapping | undefined> {
  const mapping = member(config, "mapping")?.value;
  const read = async (key: "file" | "schema", what: string): Promise<Source | undefined> => {
    const path = mapping && member(mapping, key)?.value;
    if (path?.kind !== "string" || path.value === "") return undefined;
    return readBeside(path, `the ${what} ${quotePath(path.value)}`, configPath, host, report);
  };
  const file = await read("file", "mapping");
  const schema = await read("schema", "schema");
  const document = schema && (await parseSchema(schema, report));
  return file && { file, ...(schema && document && { schema: { source: schema, document } }) };
}

async function readBeside(
  path: StringNode,
  what: string,
  configPath: string,
  host: Host,
  report: Report,
): Promise<Source | undefined> {
  const resolved = host.resolveBeside(configPath, path.value);
  const read = await host.readFile(resolved, limit);
  const label = `leads to ${resolved}`;
  if (read.kind !== "bytes") {
    report.error("mapping-unreadable", path.at, `${what} ${whyUnread(read, limit)}`, { label });
    return undefined;
  }
  const decoded = decodeText(read.bytes);
  if (decoded.kind === "text") return { path: resolved, text: decoded.text };
  report.error("mapping-unreadable", path.at, `${what} is not UTF-8`, { label, hint: "save it as UTF-8" });
  return undefined;
}

/** Loads the parser only for configurations with their own schema. */
async function parseSchema(source: Source, report: Report): Promise<DocumentNode | undefined> {
  const { GraphQLError, parse } = await import("graphql");
  try {
    return parse(source.text, { maxTokens: 100_000 });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const [start = 0] = error.positions ?? [];
    const message = error.message.replace(/^Syntax Error: /, "").replace(/\.$/, "");
    report.error(
      "mapping-schema",
      { source, pointer: "", start, end: start + 1 },
      `the schema is not valid GraphQL: ${message}`,
    );
    return undefined;
  }
}
