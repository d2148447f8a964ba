import { fileURLToPath } from "node:url";
import {
  type CompletionItem,
  CompletionItemKind,
  type Connection,
  type DocumentSymbol,
  ErrorCodes,
  MarkupKind,
  ResponseError,
  SymbolKind,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
  TextDocuments,
  type WorkspaceEdit,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { inBackground } from "../base/turns/guarded.js";
import type { Compilation } from "../compiler/compilation.js";
import type { Diagnostic } from "../compiler/diagnostics/diagnostic.js";
import { Report } from "../compiler/diagnostics/report.js";
import type { Host } from "../compiler/host.js";
import { parseDocument } from "../compiler/parse/parse-document.js";
import { parseYaml } from "../compiler/parse/parse-yaml.js";
import { completeAt, type Proposal } from "./complete.js";
import { fixesAt, rangeOf, shownDiagnostic, uriOf } from "./findings.js";
import { hoverAt } from "./hover.js";
import { type OutlinePart, outlineOf } from "./outline.js";
import { placeIn } from "./place-in.js";
import { definitionAt, renamingAt } from "./places.js";
import { isConfig, overlayHost, readConfig } from "./read-config.js";

/** What a language server works with. */
export interface LanguagePorts {
  readonly host: Host;
  /** Compiles and type-checks a configuration. @param path absolute */
  check(path: string, host: Host): Promise<Compilation>;
  sleep(milliseconds: number): Promise<void>;
  /** Receives failures of the server itself. */
  onBug(error: unknown): void;
}

/** Milliseconds after the last change until a document is checked. */
const pause = 150;
/** Larger documents are not looked at while they are typed: 4 MB. */
const largest = 4_000_000;

/** Answers a client over a connection, which it does not open. */
export function serveLanguage(connection: Connection, ports: LanguagePorts): void {
  const documents = new TextDocuments(TextDocument);
  // Clients encode addresses in their own ways, so documents are found by their paths.
  const openAt = (path: string): TextDocument | undefined =>
    documents.all().find(({ uri }) => pathOf(uri) === path);
  const host = overlayHost(ports.host, (path) => openAt(path)?.getText());
  /** What was found last, with the version of the document. */
  const found = new Map<string, { readonly version: number; readonly diagnostics: readonly Diagnostic[] }>();
  /** Documents for which diagnostics were sent because of another one, such as ABIs. */
  const touched = new Map<string, ReadonlySet<string>>();
  let checks: Promise<unknown> = Promise.resolve();

  connection.onInitialize(() => ({
    capabilities: {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      completionProvider: { triggerCharacters: ['"', ".", " ", "/"] },
      hoverProvider: true,
      definitionProvider: true,
      documentSymbolProvider: true,
      codeActionProvider: true,
      renameProvider: { prepareProvider: true },
    },
    serverInfo: { name: "graphloom" },
  }));

  const look = (document: TextDocument): void => {
    inBackground(
      (async () => {
        await ports.sleep(pause);
        const { uri, version } = document;
        if (documents.get(uri)?.version !== version) return;
        // One at a time: each takes the compiler.
        const mine = checks.then(() => check(uri, version));
        checks = mine.catch(() => undefined);
        await mine;
      })(),
      ports.onBug,
    );
  };

  async function check(uri: string, version: number): Promise<void> {
    const document = documents.get(uri);
    const path = pathOf(uri);
    if (document?.version !== version || path === undefined) return;
    const isOurs = document.getText().length <= largest && looksLikeOurs(path, document.getText());
    const diagnostics = isOurs ? (await ports.check(path, host)).diagnostics : [];
    if (documents.get(uri)?.version !== version) return;
    found.set(uri, { version, diagnostics });
    send(uri, version, path, diagnostics);
  }

  /** Sends what was found to each of the documents that it is in, and takes back what was there before. */
  function send(uri: string, version: number, path: string, diagnostics: readonly Diagnostic[]): void {
    const byUri = new Map<string, Diagnostic[]>([[uri, []]]);
    for (const diagnostic of diagnostics) {
      const place =
        diagnostic.at === undefined || diagnostic.at.source.path === path
          ? uri
          : (openAt(diagnostic.at.source.path)?.uri ?? uriOf(diagnostic.at.source.path));
      byUri.set(place, [...(byUri.get(place) ?? []), diagnostic]);
    }
    for (const old of touched.get(uri) ?? []) if (!byUri.has(old)) byUri.set(old, []);
    for (const [place, own] of byUri) {
      const document = { uri: place, diagnostics: own.map(shownDiagnostic) };
      inBackground(
        connection.sendDiagnostics(place === uri ? { ...document, version } : document),
        ports.onBug,
      );
    }
    touched.set(
      uri,
      new Set([...byUri].filter(([place, own]) => place !== uri && own.length > 0).map(([place]) => place)),
    );
  }

  documents.onDidChangeContent(({ document }) => look(document));
  documents.onDidClose(({ document: { uri } }) => {
    found.delete(uri);
    const gone = [uri, ...(touched.get(uri) ?? [])];
    touched.delete(uri);
    for (const place of gone)
      inBackground(connection.sendDiagnostics({ uri: place, diagnostics: [] }), ports.onBug);
  });
  // An ABI or a mapping that was saved may change what is found in open configurations.
  documents.onDidSave(({ document: saved }) => {
    for (const document of documents.all()) if (document.uri !== saved.uri) look(document);
  });

  /** The configuration of a document, and what is at a place. */
  async function at({ textDocument: { uri }, position }: TextDocumentPositionParams) {
    const text = documents.get(uri)?.getText();
    const path = pathOf(uri);
    if (text === undefined || path === undefined || text.length > largest) return undefined;
    const place = await placeIn(path, text, position, host);
    return place && { ...place, length: text.length };
  }

  connection.onCompletion(async (asked) => {
    const place = await at(asked);
    if (!place) return [];
    const { config, cursor, length } = place;
    const { all, replaces, isQuoted } = completeAt(config, cursor);
    const part = cursor.text && replaces && cursor.text.string.part(replaces.start, replaces.end);
    // What is not in the document yet was put there to read it.
    const range =
      part &&
      rangeOf({
        source: config.source,
        start: part.start,
        end: Math.min(part.end, length),
      });
    return all.map((proposal, index) => itemOf(proposal, index, isQuoted, range));
  });

  connection.onHover(async (asked) => {
    const place = await at(asked);
    const shown = place && hoverAt(place.config, place.cursor);
    return shown
      ? { contents: { kind: MarkupKind.Markdown, value: shown.markdown }, range: rangeOf(shown.at) }
      : null;
  });

  connection.onDefinition(async (asked) => {
    const place = await at(asked);
    const location = place && definitionAt(place.config, place.cursor);
    return location ? { uri: uriOf(location.source.path), range: rangeOf(location) } : null;
  });

  connection.onPrepareRename(async (asked) => {
    const place = await at(asked);
    const renaming = place && renamingAt(place.config, place.cursor);
    return renaming ? { range: rangeOf(renaming.at), placeholder: renaming.name } : null;
  });

  connection.onRenameRequest(async (asked): Promise<WorkspaceEdit | null> => {
    const place = await at(asked);
    const renaming = place && renamingAt(place.config, place.cursor);
    if (!renaming) return null;
    const { pattern, rule, places } = renaming;
    if (!pattern.test(asked.newName)) throw new ResponseError(ErrorCodes.InvalidParams, `A name is ${rule}.`);
    const edits = places.map((location) => ({ range: rangeOf(location), newText: asked.newName }));
    return { changes: { [asked.textDocument.uri]: edits } };
  });

  connection.onDocumentSymbol(async ({ textDocument: { uri } }) => {
    const path = pathOf(uri);
    const config = path === undefined ? undefined : await readConfig(path, host);
    return config && isConfig(config.tree) ? outlineOf(config.tree).map(symbolOf) : [];
  });

  connection.onCodeAction(({ textDocument: { uri }, range }) => {
    const document = documents.get(uri);
    const path = pathOf(uri);
    const last = found.get(uri);
    // Fixes are for the text in which they were found.
    if (!document || path === undefined || last?.version !== document.version) return [];
    return fixesAt(uri, { path, text: document.getText() }, range, last.diagnostics);
  });

  documents.listen(connection);
}

/** The path of a file; `undefined` for documents that are not files. */
function pathOf(uri: string): string | undefined {
  return uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
}

/** Whether a text is a configuration; one that cannot be parsed is, if it names what only configurations have. */
function looksLikeOurs(path: string, text: string): boolean {
  if (!/\.(?:json5?|jsonc|ya?ml)$/i.test(path)) return false;
  const tree = parseDocument({ path, text }, new Report(), parseYaml);
  if (tree) return isConfig(tree);
  return text.includes("config-v1.schema.json") || (/\binstances\b/.test(text) && /\babis\b/.test(text));
}

const completionKinds: Readonly<Record<Proposal["kind"], CompletionItemKind>> = {
  key: CompletionItemKind.Property,
  value: CompletionItemKind.Value,
  field: CompletionItemKind.Field,
  variable: CompletionItemKind.Variable,
  function: CompletionItemKind.Function,
  class: CompletionItemKind.Class,
};

function itemOf(
  { label, kind, detail, about }: Proposal,
  index: number,
  isQuoted: boolean,
  range: ReturnType<typeof rangeOf> | undefined,
): CompletionItem {
  const newText = isQuoted ? JSON.stringify(label) : label;
  return {
    label,
    kind: completionKinds[kind],
    // In the order of the ABI, and of the schema.
    sortText: String(index).padStart(5, "0"),
    filterText: newText,
    ...(detail !== undefined && { detail }),
    ...(about !== undefined && { documentation: { kind: MarkupKind.PlainText, value: about } }),
    ...(range ? { textEdit: { range, newText } } : { insertText: newText }),
  };
}

const symbolKinds: Readonly<Record<OutlinePart["kind"], SymbolKind>> = {
  abi: SymbolKind.Interface,
  instance: SymbolKind.Object,
  handler: SymbolKind.Event,
  call: SymbolKind.Function,
  entity: SymbolKind.Class,
};

function symbolOf({ name, kind, detail, at, nameAt, parts }: OutlinePart): DocumentSymbol {
  return {
    // Clients refuse empty names.
    name: name === "" ? "(empty)" : name,
    kind: symbolKinds[kind],
    ...(detail !== undefined && { detail }),
    range: rangeOf(at),
    selectionRange: rangeOf(nameAt),
    children: parts.map(symbolOf),
  };
}
