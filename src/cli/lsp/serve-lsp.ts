import { createRequire } from "node:module";
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { serveLanguage } from "../../lsp/language-server.js";
import { startAsc } from "../../machine/compiler/asc.js";
import { check } from "../../machine/compiler/compile.js";
import { createNodeHost } from "../../machine/files/host.js";
import { createNodeWorld } from "../../machine/world.js";
import { openCache } from "../cache/open-cache.js";
import { bugReport } from "../terminal/bug-report.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { talkStreams } from "../terminal/talk-streams.js";
import type { Terminal } from "../terminal/terminal.js";
import type { CacheArguments } from "../terminal/usage/options.js";

const { version } = createRequire(import.meta.url)("../../../package.json") as { readonly version: string };

/**
 * Serves an editor over standard input and output until it leaves; returns the exit code.
 * @throws UsageError without standard input
 */
export async function serveLsp(args: CacheArguments, terminal: Terminal): Promise<number> {
  const { signal } = terminal;
  const { input, output } = talkStreams(
    terminal,
    "graphloom lsp talks to an editor, which starts it. Name it in the editor's settings; graphloom docs editors shows how.",
  );
  const connection = createConnection(ProposedFeatures.all, input, output);
  const asc = startAsc();
  const cache = openCache(args, terminal);
  const world = createNodeWorld(signal);
  serveLanguage(connection, {
    host: createNodeHost({ cwd: terminal.cwd }),
    check: (path, host) => check(path, host, { asc, cache }),
    checkDefinition: async (path, host) =>
      (await import("./check-definition.js")).checkDefinition(path, host, terminal.env ?? {}),
    sleep: (milliseconds) => world.sleep(milliseconds),
    onBug: (error) => terminal.err(bugReport(error, version)),
  });
  const left = new Promise<void>((leave) => {
    connection.onExit(leave);
    input.once("close", leave);
    signal.addEventListener("abort", () => leave(), { once: true });
  });
  connection.listen();
  await left;
  await asc.close();
  return signal.aborted ? exitCodes.interrupted : exitCodes.clean;
}
