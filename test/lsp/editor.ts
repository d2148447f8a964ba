import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import {
  createConnection,
  type Diagnostic,
  type Position,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { checkDefinition } from "../../src/cli/lsp/check-definition.js";
import { serveLanguage } from "../../src/lsp/language-server.js";
import { check } from "../../src/machine/compiler/compile.js";
import { createNodeHost } from "../../src/machine/files/host.js";
import { untilHolds } from "../support/until.js";

type Asc = NonNullable<Parameters<typeof check>[2]>["asc"];

/** An editor with an open document. The text may have a `|` where the cursor is. @param asc the compiler to use */
export async function editorWith(
  { asc }: { readonly asc?: Asc },
  path: string,
  marked: string,
  encode = (uri: string) => uri,
) {
  const offset = marked.indexOf("|");
  const text = marked.replace("|", "");
  const folder = dirname(path);
  const [up, down] = [new PassThrough(), new PassThrough()];
  const server = createConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  const bugs: unknown[] = [];
  serveLanguage(server, {
    host: createNodeHost({ cwd: folder }),
    check: (file, host) => check(file, host, { ...(asc && { asc }) }),
    checkDefinition: (file, host) => checkDefinition(file, host, {}),
    sleep: async () => undefined,
    onBug: (error) => bugs.push(error),
  });
  server.listen();
  const client = createConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  const published = new Map<string, readonly Diagnostic[]>();
  client.onNotification(
    "textDocument/publishDiagnostics",
    ({ uri, diagnostics }: PublishDiagnosticsParams) => void published.set(uri, diagnostics),
  );
  client.listen();
  await client.sendRequest("initialize", { processId: null, rootUri: null, capabilities: {} });
  await client.sendNotification("initialized", {});
  const uri = encode(pathToFileURL(path).href);
  const languageId = path.endsWith("json") ? "json" : "yaml";
  await client.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId, version: 1, text },
  });
  const placeOf = (at: number): Position => {
    const before = text.slice(0, at).split("\n");
    return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  };
  return {
    uri,
    folder,
    text,
    bugs,
    found: () =>
      untilHolds(() => {
        expect(published.has(uri)).toBe(true);
        return published.get(uri) ?? [];
      }),
    ask: <Answer>(method: string, more: object = {}, at = offset): Promise<Answer> =>
      client.sendRequest(`textDocument/${method}`, {
        textDocument: { uri },
        position: placeOf(at),
        ...more,
      }),
    change: async (next: string, version: number) => {
      published.clear();
      await client.sendNotification("textDocument/didChange", {
        textDocument: { uri, version },
        contentChanges: [{ text: next }],
      });
    },
  };
}
