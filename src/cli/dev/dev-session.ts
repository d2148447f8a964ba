import { messageOf } from "../../base/text/message-of.js";
import { visible } from "../../base/text/visible.js";
import type { Compilation } from "../../compiler/compilation.js";
import { pause } from "../../machine/world.js";
import type { RunningServer } from "../../platform/serve.js";
import { queryAddresses } from "../../platform/subgraphs/query-addresses.js";
import { DatabaseError } from "../../store/open.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import type { NamedBuilds } from "../named/named-builds.js";
import { WatchedWork, type Work } from "../terminal/progress.js";
import type { StatusLine } from "../terminal/status-line.js";
import { type DevEvent, type DevStatus, DevSubgraph, devTag } from "./dev-subgraph.js";
import { eventLines, statusText, type WhichBuild } from "./event-lines.js";
import type { Mistakes } from "./mistakes.js";

/** Milliseconds between two checks of the builds' progress. */
const interval = 500;

/** The parts of a session. */
export interface SessionOptions {
  readonly server: RunningServer;
  /** The subgraph name of the first chain; each further chain appends its own name. */
  readonly name: string;
  readonly line: StatusLine;
  /** Prints complete lines for people. */
  readonly print: (lines: string) => void;
  readonly color: boolean;
  /** Collects the errors of builds. */
  readonly mistakes: Mistakes;
}

interface DevChain {
  readonly address: string;
  readonly subgraph: DevSubgraph;
  /** How far its builds are. */
  readonly works: Readonly<Record<WhichBuild, WatchedWork>>;
  status: DevStatus | undefined;
}

/** The subgraphs of one project under development, one for each chain. Their names and addresses never change. */
export class DevSession {
  readonly #options: SessionOptions;
  readonly #chains = new Map<string, DevChain>();
  /** The origins of the expressions in builds, by deployment. Each entry keeps a whole configuration in memory. */
  readonly #origins = new Map<string, Compilation["origins"]>();
  readonly #end = new AbortController();
  readonly #looking: Promise<void>;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#looking = this.#keepLooking();
  }

  /** The address that answers queries for a chain's entities. */
  addressOf(chain: string): string {
    return this.#chainOf(chain).address;
  }

  /** Accepts the builds of an edit, and prints rejections and warnings of an engine. @throws DatabaseError */
  async offer({ builds, origins }: NamedBuilds): Promise<void> {
    const { hosting } = this.#options.server.platform;
    for (const [chain, { subgraph }] of this.#chains) {
      if (builds.some((build) => build.chain === chain)) continue;
      await subgraph.drop();
      this.#chains.delete(chain);
      this.#say(chain, "is no longer in the subgraph");
    }
    for (const { chain, build } of builds) {
      if (!hosting.engineFor(chain)) {
        this.#say(chain, `this chain has no node. Start again with --rpc ${visible(chain)}=<url>`);
        continue;
      }
      this.#origins.set(linkBuild(build).deploymentId, origins);
      try {
        for (const warning of await this.#chainOf(chain).subgraph.offer(build))
          this.#say(chain, `warning: ${visible(warning)}`);
      } catch (error) {
        if (error instanceof DatabaseError || !(error instanceof Error)) throw error;
        const message = `cannot be indexed: ${visible(error.message)}`;
        this.#options.mistakes.stopped(chain, `${visible(chain)}: ${message}`);
        this.#say(chain, message);
      } finally {
        this.#forgetOrigins();
      }
    }
  }

  /** Stops checking the builds' progress; does not close the server. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#looking;
    this.#options.line.end();
  }

  /** Removes the origins of deployments that no longer exist. */
  #forgetOrigins(): void {
    const there = new Set([...this.#chains.values()].flatMap(({ subgraph }) => [...subgraph.deployments]));
    for (const deployment of this.#origins.keys())
      if (!there.has(deployment)) this.#origins.delete(deployment);
  }

  #chainOf(chain: string): DevChain {
    const known = this.#chains.get(chain);
    if (known) return known;
    const { server, name: own } = this.#options;
    const name = this.#chains.size === 0 ? own : `${own}-${chain}`;
    const names = { project: server.project, name };
    const subgraph = new DevSubgraph(server.platform, names, (event) => this.#tell(chain, event));
    const address = queryAddresses({ ...names, version: devTag }, server.address).public;
    const works = { current: new WatchedWork(), next: new WatchedWork() };
    const made = { address, subgraph, works, status: undefined };
    this.#chains.set(chain, made);
    return made;
  }

  #tell(chain: string, event: DevEvent): void {
    const { print, color, mistakes } = this.#options;
    const origins = event.kind === "failed" ? this.#origins.get(event.deployment) : undefined;
    const lines = (isColored: boolean): string => eventLines(chain, event, origins ?? new Map(), isColored);
    if (event.kind === "failed") mistakes.stopped(chain, lines(false));
    print(lines(color));
  }

  #say(chain: string, text: string): void {
    this.#options.print(`${visible(chain)}: ${text}\n`);
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#end;
    let said = "";
    while (!signal.aborted) {
      await pause(interval, signal);
      if (signal.aborted) return;
      try {
        for (const chain of this.#chains.values()) chain.status = await chain.subgraph.look();
        const now = performance.now();
        const text = statusText([...this.#chains], (chain, which) =>
          workOf(this.#chains.get(chain), which, now),
        );
        this.#options.line.show(() => text);
        said = "";
      } catch (error) {
        // The next check may succeed; report each error only once.
        const message = messageOf(error);
        if (message !== said) this.#options.print(`${visible(message)}\n`);
        said = message;
      }
    }
  }
}

/** How far a build is that catches up. @param now milliseconds */
function workOf(chain: DevChain | undefined, which: WhichBuild, now: number): Work | undefined {
  const { startBlock, headBlock, chainHeadBlock, isSynced } = chain?.status?.[which] ?? {};
  if (headBlock === undefined || chainHeadBlock === undefined || isSynced) return undefined;
  return chain?.works[which].see({ from: startBlock, done: headBlock, total: chainHeadBlock }, now);
}
