import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { testFolder } from "../../support/folder.js";
import { graphloom } from "../harness.js";

const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const demo = fileURLToPath(new URL("../../../examples/demo/", import.meta.url));

it("graphloom lsp serves an editor until it says goodbye", async () => {
  const folder = testFolder();
  cpSync(demo, folder, { recursive: true });
  const path = join(folder, "subgraph.json");
  const text = readFileSync(path, "utf8").replace('"startBlock"', '"startblock"');
  // As clients in Node.js start it.
  const server = spawn(process.execPath, [main, "lsp", "--stdio", `--clientProcessId=${process.pid}`], {
    cwd: folder,
    env: { ...process.env, ...sharedCache },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  let err = "";
  server.stderr.on("data", (piece) => {
    err += piece;
  });
  const ended = once(server, "exit");
  const editor = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const found = new Promise<readonly { readonly code: string }[]>((resolve) => {
    editor.onNotification("textDocument/publishDiagnostics", ({ diagnostics }) => resolve(diagnostics));
  });
  editor.listen();
  const { capabilities } = await editor.sendRequest<{ readonly capabilities: object }>("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: {},
  });
  expect(capabilities).toMatchObject({ hoverProvider: true, definitionProvider: true });
  await editor.sendNotification("initialized", {});
  const textDocument = { uri: pathToFileURL(path).href, languageId: "json", version: 1, text };
  await editor.sendNotification("textDocument/didOpen", { textDocument });
  expect((await found).map(({ code }) => code)).toContain("unknown-key");
  await editor.sendRequest("shutdown");
  await editor.sendNotification("exit");
  expect([(await ended)[0], err]).toEqual([0, ""]);
});

it("graphloom lsp says that an editor starts it", async () => {
  const { code, err } = await graphloom(testFolder(), "lsp");
  expect([code, err]).toEqual([2, expect.stringContaining("talks to an editor, which starts it")]);
});
