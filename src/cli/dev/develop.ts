import { relative } from "node:path";
import { visible } from "../../base/text/visible.js";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { openRecording, serveRecording } from "../../machine/serve-recording.js";
import { createNodeWorld } from "../../machine/world.js";
import type { StartedServer } from "../../platform/start-server.js";
import type { Recording } from "../../runtime/recording/recording.js";
import type { ImageStore } from "../../store/database/pglite/images.js";
import { openCache } from "../cache/open-cache.js";
import { compileConfig } from "../compile/compile-project.js";
import { watchConfig } from "../compile/watch-config.js";
import { findNamed, type Named } from "../named/find-named.js";
import { hostOfTerminal } from "../named/load-named.js";
import { buildsOf, type NamedBuilds } from "../named/named-builds.js";
import { subgraphNameOf } from "../named/subgraph-name.js";
import { watchNamed } from "../named/watch-named.js";
import { findSources } from "../reader/find-sources.js";
import { findNodes, wordsFor } from "../run/find-nodes.js";
import { explainServing } from "../serve/explain-serving.js";
import { doorLines } from "../serve/introduce.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { DevArguments, DevPlan } from "./dev-arguments.js";
import { startDevServer } from "./dev-server.js";
import { DevSession } from "./dev-session.js";
import { type DevSource, deploySources, loadSources } from "./dev-sources.js";
import { devTag } from "./dev-subgraph.js";
import { Mistakes } from "./mistakes.js";

/** Indexes a subgraph, again after every edit, until interrupted; returns the exit code. */
export async function develop(plan: DevPlan, args: DevArguments, terminal: Terminal): Promise<number> {
  const line = new StatusLine(terminal, () => performance.now());
  // Never clear the terminal: the lines above the progress show what happened.
  const told: Terminal = { ...terminal, isTty: false, err: (text) => line.print(text) };
  const opened: (() => Promise<void>)[] = [];
  const mistakes = new Mistakes();
  // The first interrupt waits for a clean end; the second ends the process at once.
  terminal.onWriting(true);
  const allow = (): void => queueMicrotask(() => terminal.onWriting(false));
  terminal.signal.addEventListener("abort", allow, { once: true });
  try {
    const nodes = plan.recording === undefined ? undefined : await play(plan.recording, opened);
    let session: DevSession | undefined;
    const sources = await loadSources(args, told);
    const named = await findNamed(plan.subgraph, hostOfTerminal(terminal));
    const offer = async (found: NamedBuilds): Promise<void> => {
      if (session) return session.offer(found);
      const color = args.color && terminal.color;
      const surroundings = {
        opened,
        line,
        mistakes,
        terminal,
        color,
        images: openCache(args, terminal),
        sources,
      };
      const known = { ...found, name: found.name ?? subgraphNameOf(named, terminal.cwd) };
      session = await open(known, plan, nodes ?? nodesOf(found, named, args, terminal), surroundings);
    };
    const code = await follow(
      { named, shown: visible(args.subgraph ?? relative(terminal.cwd, plan.subgraph)) },
      {
        args,
        told,
        offer,
        print: (lines) => line.print(lines),
        onChecked: (diagnostics) => mistakes.found(diagnostics),
      },
    );
    await closeAll(opened);
    if (code !== exitCodes.interrupted) return code;
    terminal.onServed?.();
    return exitCodes.clean;
  } catch (error) {
    return explainServing(error, terminal);
  } finally {
    await closeAll(opened);
    terminal.onWriting(false);
  }
}

/** The dependencies of following a subgraph. */
interface Following {
  readonly args: DevArguments;
  /** Where mistakes are shown. */
  readonly told: Terminal;
  readonly print: (lines: string) => void;
  readonly onChecked: (diagnostics: readonly Diagnostic[]) => void;
  /** Takes the builds of an edit. */
  readonly offer: (found: NamedBuilds) => Promise<void>;
}

/** Loads a subgraph, and again whenever one of its files changes, until interrupted; returns the exit code. */
async function follow(
  { named, shown }: { readonly named: Named; readonly shown: string },
  { args, told, print, onChecked, offer }: Following,
): Promise<number> {
  const reporting = { format: "text", color: args.color } as const;
  if (named.kind !== "configuration" || args.network !== undefined) {
    print(`Reading ${shown} …\n`);
    const options = { ...args, gateway: args.ipfs, remote: args, optimize: "fast" } as const;
    return watchNamed({ named, options, reporting, onChecked }, told, offer);
  }
  print(`Checking ${shown} …\n`);
  const config = named.path;
  const watched = { config, withWasm: false, options: {}, reporting, caching: args, onChecked };
  return watchConfig(watched, told, async (_, asc) => {
    print(`Compiling ${shown} …\n`);
    const compiled = await compileConfig(config, true, { optimize: "fast" }, args, told, { asc });
    // The configuration changed meanwhile; the next round reports its errors.
    if (compiled.model) await offer(buildsOf({ ...compiled, model: compiled.model }));
  });
}

async function closeAll(opened: (() => Promise<void>)[]): Promise<void> {
  for (const close of opened.splice(0).reverse()) await close();
}

/** Plays a recording. @returns the addresses of nodes by chain */
async function play(path: string, opened: (() => Promise<void>)[]): Promise<ReadonlyMap<string, string>> {
  const recording: Recording = await openRecording(path);
  const node = await serveRecording(recording, createNodeWorld());
  opened.push(() => node.close());
  return new Map([[recording.network, node.url]]);
}

function nodesOf(
  { builds }: NamedBuilds,
  named: Named,
  { rpc = [] }: DevArguments,
  { env = {} }: Terminal,
): ReadonlyMap<string, string> {
  return findNodes(
    rpc,
    builds.map(({ chain }) => chain),
    env,
    wordsFor(named),
  );
}

/** The environment in which a session opens. */
interface Surroundings {
  readonly opened: (() => Promise<void>)[];
  readonly line: StatusLine;
  readonly mistakes: Mistakes;
  readonly terminal: Terminal;
  readonly color: boolean;
  /** Where images of new databases are kept, from which a database starts faster. */
  readonly images: ImageStore | undefined;
  /** The subgraphs that it has as sources. */
  readonly sources: readonly DevSource[];
}

/** Starts the server with the first build, and prints the addresses. */
async function open(
  found: NamedBuilds,
  plan: DevPlan,
  nodes: ReadonlyMap<string, string>,
  { opened, line, mistakes, terminal, color, images, sources }: Surroundings,
): Promise<DevSession> {
  const chains = found.builds.map(({ chain }) => chain);
  if (!chains.some((chain) => nodes.has(chain))) {
    throw new UsageError(
      `The recording covers ${[...nodes.keys()].join(", ")}, but the subgraph has: ${chains.join(", ")}`,
    );
  }
  const histories = findSources(plan.source, [...nodes.keys()], terminal.env ?? {});
  line.print("Preparing the database …\n");
  const draft = { tag: devTag, mistakes: () => mistakes.text() };
  const print = (lines: string): void => line.print(lines);
  const say = (_: string, text: string): void => print(`${visible(text)}\n`);
  const server = await startDevServer(plan, nodes, { terminal, say, draft, images, histories });
  opened.push(() => server.close());
  await deploySources(sources, server, print);
  const session = new DevSession({
    server,
    name: found.name ?? "dev",
    line,
    print,
    color,
    mistakes,
  });
  opened.push(() => session.close());
  await session.offer(found);
  const known = chains.filter((chain) => nodes.has(chain));
  introduce(server, session, known, terminal);
  return session;
}

function introduce(
  server: StartedServer,
  session: DevSession,
  chains: readonly string[],
  terminal: Terminal,
): void {
  const queries = chains.map((chain) => `  ${visible(chain)}  ${session.addressOf(chain)}\n`);
  terminal.out(`\nQuery addresses (a browser shows a page for writing queries there):\n${queries.join("")}`);
  const doors = doorLines(server.doors).map((text) => `${text.trim()}\n`);
  terminal.out(`Dashboard: ${server.address}/\n${doors.join("")}\n`);
}
