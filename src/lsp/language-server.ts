import { fileURLToPath } from "node:url";
import {
  type Connection,
  ErrorCodes,
  MarkupKind,
  ResponseError,
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
import { configPlace, definitionPlace, symbolOf } from "./answers.js";
import { fixesAt, rangeOf, shownDiagnostic, uriOf } from "./findings.js";
import { outlineOf } from "./outline.js";
import { definitionOutline } from "./pipelines/definition-outline.js";
import { isDefinition, looksLikeDefinition } from "./pipelines/is-definition.js";
import { parseDefinition } from "./pipelines/typed-definition.js";
import { isConfig, overlayHost, readConfig } from "./read-config.js";

/** What a language server works with. */
export interface LanguagePorts {
  readonly host: Host;
  /** Compiles and type-checks a configuration. @param path absolute */
  check(path: string, host: Host): Promise<Compilation>;
  /** Checks the definition of a pipeline, without the network. @param path absolute */
  checkDefinition(path: string, host: Host): Promise<readonly Diagnostic[]>;
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
    const diagnostics = await diagnose(path, document.getText());
    if (documents.get(uri)?.version !== version) return;
    found.set(uri, { version, diagnostics });
    send(uri, version, path, diagnostics);
  }

  async function diagnose(path: string, text: string): Promise<readonly Diagnostic[]> {
    switch (text.length <= largest ? kindOf(path, text) : undefined) {
      case "configuration":
        return (await ports.check(path, host)).diagnostics;
      case "definition":
        return ports.checkDefinition(path, host);
      default:
        return [];
    }
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

  /** What can be said about a place of a document; `undefined` if it is neither a configuration nor a definition. */
  async function at({ textDocument: { uri }, position }: TextDocumentPositionParams) {
    const document = documents.get(uri);
    const path = pathOf(uri);
    if (!document || path === undefined) return undefined;
    const text = document.getText();
    if (text.length > largest) return undefined;
    return (
      definitionPlace(path, text, document.offsetAt(position)) ??
      (await configPlace(path, text, position, host))
    );
  }

  connection.onCompletion(async (asked) => (await at(asked))?.complete() ?? []);

  connection.onHover(async (asked) => {
    const shown = (await at(asked))?.hover();
    return shown
      ? { contents: { kind: MarkupKind.Markdown, value: shown.markdown }, range: rangeOf(shown.at) }
      : null;
  });

  connection.onDefinition(async (asked) => {
    const location = (await at(asked))?.definition();
    return location ? { uri: uriOf(location.source.path), range: rangeOf(location) } : null;
  });

  connection.onPrepareRename(async (asked) => {
    const renaming = (await at(asked))?.renaming();
    return renaming ? { range: rangeOf(renaming.at), placeholder: renaming.name } : null;
  });

  connection.onRenameRequest(async (asked): Promise<WorkspaceEdit | null> => {
    const renaming = (await at(asked))?.renaming();
    if (!renaming) return null;
    const { name, pattern, rule, places, taken } = renaming;
    const [own, other] = [name.toLowerCase(), asked.newName.toLowerCase()];
    if (!pattern.test(asked.newName)) throw new ResponseError(ErrorCodes.InvalidParams, `A name is ${rule}.`);
    if (own !== other && taken?.has(other))
      throw new ResponseError(ErrorCodes.InvalidParams, `${asked.newName} is the name of another one.`);
    const edits = places.map((location) => ({ range: rangeOf(location), newText: asked.newName }));
    return { changes: { [asked.textDocument.uri]: edits } };
  });

  connection.onDocumentSymbol(async ({ textDocument: { uri } }) => {
    const path = pathOf(uri);
    const text = documents.get(uri)?.getText();
    if (path === undefined || text === undefined || text.length > largest) return [];
    switch (kindOf(path, text)) {
      case "configuration": {
        const config = await readConfig(path, host);
        return config ? outlineOf(config.tree).map(symbolOf) : [];
      }
      case "definition": {
        const tree = parseDefinition({ path, text });
        return tree ? definitionOutline(tree).map(symbolOf) : [];
      }
      default:
        return [];
    }
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

/** What a document is; `undefined` for those of other tools. A text that cannot be parsed counts by the names in it. */
function kindOf(path: string, text: string): "configuration" | "definition" | undefined {
  if (!/\.(?:json5?|jsonc|ya?ml)$/i.test(path)) return undefined;
  const tree = parseDocument({ path, text }, new Report(), parseYaml);
  if (tree) return isConfig(tree) ? "configuration" : isDefinition(tree) ? "definition" : undefined;
  const isOurs =
    text.includes("config-v1.schema.json") || (/\binstances\b/.test(text) && /\babis\b/.test(text));
  if (isOurs) return "configuration";
  return looksLikeDefinition(text) ? "definition" : undefined;
}
