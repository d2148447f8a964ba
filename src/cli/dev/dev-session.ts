import { visible } from "../../base/visible.js";
import type { Compilation } from "../../compiler/compilation.js";
import { pause } from "../../node/world.js";
import type { RunningServer } from "../../platform/serve.js";
import { queryAddresses } from "../../platform/subgraphs/query-addresses.js";
import { DatabaseError } from "../../store/open.js";
import { collectBuild } from "../../subgraph/collect-build.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import { withConfigPlaces } from "../compile/config-places.js";
import { withMapFacts } from "../compile/map-facts.js";
import type { StatusLine } from "../terminal/status-line.js";
import { type DevEvent, type DevStatus, DevSubgraph, devTag } from "./dev-subgraph.js";
import { eventLines, statusText } from "./event-lines.js";
import type { Mistakes } from "./mistakes.js";

/** Milliseconds between two looks at how far builds are. */
const interval = 500;

/** What a session is made of. */
export interface SessionOptions {
  readonly server: RunningServer;
  /** The name of the subgraph; further chains have it with their own name behind it. */
  readonly name: string;
  readonly line: StatusLine;
  /** Prints whole lines for people. */
  readonly print: (lines: string) => void;
  readonly color: boolean;
  /** Where it is noted what goes wrong with builds. */
  readonly mistakes: Mistakes;
}

interface DevChain {
  readonly address: string;
  readonly subgraph: DevSubgraph;
  status: DevStatus | undefined;
}

/** The subgraphs of a configuration while it is being written: one for each chain. Their names and addresses stay. */
export class DevSession {
  readonly #options: SessionOptions;
  readonly #chains = new Map<string, DevChain>();
  /** Where the expressions of builds that may fail come from, by deployment: each keeps its whole configuration. */
  readonly #origins = new Map<string, Compilation["origins"]>();
  readonly #end = new AbortController();
  readonly #looking: Promise<void>;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#looking = this.#keepLooking();
  }

  /** The address that answers queries to a chain's entities. */
  addressOf(chain: string): string {
    return this.#chainOf(chain).address;
  }

  /** Takes the builds of an edit; what an engine refuses, or warns of, is said. @throws DatabaseError */
  async offer({
    builds,
    files,
    origins,
    model,
  }: Pick<Compilation, "builds" | "files" | "origins" | "model">): Promise<void> {
    const { hosting } = this.#options.server.platform;
    for (const [chain, { subgraph }] of this.#chains) {
      if (builds.some((build) => build.chain === chain)) continue;
      await subgraph.drop();
      this.#chains.delete(chain);
      this.#say(chain, "is no longer in the configuration");
    }
    for (const { chain, manifest } of builds) {
      if (!hosting.engineFor(chain)) {
        this.#say(chain, `this chain has no node. Start again with --rpc ${visible(chain)}=<url>`);
        continue;
      }
      const placed = withConfigPlaces(collectBuild({ manifest, files }), origins);
      const build = model ? withMapFacts(placed, model, chain) : placed;
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

  /** Ends looking; the server is not closed. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#looking;
    this.#options.line.end();
  }

  /** Keeps those of the deployments that are there. */
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
    const made = { address, subgraph, status: undefined };
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
        this.#options.line.show(() => statusText([...this.#chains]));
        said = "";
      } catch (error) {
        // The next look may succeed; what is wrong is said once.
        const message = error instanceof Error ? error.message : String(error);
        if (message !== said) this.#options.print(`${visible(message)}\n`);
        said = message;
      }
    }
  }
}
