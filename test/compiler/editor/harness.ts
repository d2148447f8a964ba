import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type CompletionItem,
  getLanguageService,
  type JSONSchema,
  TextDocument,
} from "vscode-json-languageservice";

/* Uses the schema as an editor that understands JSON Schema does, for example VS Code. */

const file = new URL("../../../schemas/config-v1.schema.json", import.meta.url);
export const schema = JSON.parse(readFileSync(file, "utf8")) as JSONSchema;
const service = getLanguageService({
  schemaRequestService: async (uri) => readFileSync(fileURLToPath(uri), "utf8"),
  workspaceContext: { resolveRelativePath: (relative, resource) => new URL(relative, resource).href },
});
service.configure({ validate: true, schemas: [{ uri: schema.$id ?? "", fileMatch: ["*"], schema }] });

function open(text: string, uri = "file:///subgraph.json") {
  const document = TextDocument.create(uri, "json", 1, text);
  return { document, json: service.parseJSONDocument(document) };
}

/** The completions at `|`. */
async function itemsAt(text: string): Promise<readonly CompletionItem[]> {
  const offset = text.indexOf("|");
  const { document, json } = open(text.replace("|", ""));
  const list = await service.doComplete(document, document.positionAt(offset), json);
  return list?.items ?? [];
}

/** The explanations of the completions at `|`, by label. */
export async function completed(text: string): Promise<ReadonlyMap<string, string>> {
  const items = await itemsAt(text);
  return new Map(
    items.map(({ label, documentation }) => [
      label,
      typeof documentation === "object" ? documentation.value : (documentation ?? ""),
    ]),
  );
}

/** The text after choosing the completion `label` at `|` and accepting every default. */
export async function accepted(text: string, label: string): Promise<string> {
  const item = (await itemsAt(text)).find((offered) => offered.label === label);
  if (item?.textEdit === undefined || !("range" in item.textEdit)) throw new Error(`no ${label} is offered`);
  const { newText, range } = item.textEdit;
  const { document } = open(text.replace("|", ""));
  return TextDocument.applyEdits(document, [{ range, newText: withDefaults(newText) }]);
}

/** A snippet with all its defaults accepted. */
function withDefaults(snippet: string): string {
  return snippet.replaceAll(/\$\{\d+:((?:\\.|[^}\\])*)\}|\$\d+/g, "$1").replaceAll(/\\([\\$}])/g, "$1");
}

/** The text that appears when the mouse rests on `word`. */
export async function hovered(text: string, word: string): Promise<string> {
  const { document, json } = open(text);
  const hover = await service.doHover(document, document.positionAt(text.indexOf(word) + 2), json);
  return JSON.stringify(hover?.contents ?? "");
}

/** Each finding: the text it covers and its message. */
export async function validated(text: string, uri?: string): Promise<string[]> {
  const { document, json } = open(text, uri);
  const found = await service.doValidation(document, json);
  return found.map(({ range, message }) => `${document.getText(range)}: ${message}`);
}
