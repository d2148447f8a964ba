import { visible } from "../../base/text/visible.js";
import type { Caller } from "../../platform/people/access.js";
import type { StartedServer } from "../../platform/start-server.js";
import { deploySubgraph } from "../../platform/subgraphs/deploy-subgraph.js";
import { linkBuild } from "../../subgraph/deployment/link-build.js";
import { loadWord } from "../named/load-named.js";
import type { NamedBuild } from "../named/named-builds.js";
import { subgraphNameOf } from "../named/subgraph-name.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { DevArguments } from "./dev-arguments.js";
import { versionOf } from "./dev-subgraph.js";

/** A subgraph that the one under development has as a source. */
export interface DevSource extends NamedBuild {
  /** The name of its subgraph on the server. */
  readonly name: string;
}

/**
 * Loads the subgraphs that `--with` names, once: later edits to them have no effect.
 * @throws UsageError for a word that names none or whose files have mistakes; the errors of `loadWord`
 */
export async function loadSources(args: DevArguments, terminal: Terminal): Promise<readonly DevSource[]> {
  const { with: words = [], ipfs: gateway, network: _, networkFile: __, ...given } = args;
  const options = { ...given, gateway, remote: args, optimize: "fast" } as const;
  const loaded: DevSource[] = [];
  for (const [index, word] of words.entries()) {
    const { named, found } = await loadWord(word, options, terminal);
    if (!found)
      throw new UsageError(
        `--with: ${visible(word)} has mistakes.`,
        `See them with graphloom check ${visible(word)}.`,
      );
    const name = found.name ?? subgraphNameOf(named, terminal.cwd) ?? `source-${index + 1}`;
    for (const build of found.builds) loaded.push({ ...build, name });
  }
  return loaded;
}

/**
 * Deploys sources on the server of a session, and prints the deployment that a manifest names each by.
 * @throws Problem when the engine rejects one; DatabaseError
 */
export async function deploySources(
  sources: readonly DevSource[],
  { platform, project }: StartedServer,
  print: (lines: string) => void,
): Promise<void> {
  const caller: Caller = { kind: "user", id: "dev", name: "dev", project, role: "Owner" };
  for (const { chain, build, name } of sources) {
    if (!platform.hosting.engineFor(chain)) continue;
    const { deploymentId } = linkBuild(build);
    await deploySubgraph(platform, caller, { name, version: versionOf(deploymentId) }, { build });
    print(`${visible(chain)}: the source ${visible(name)} is ${deploymentId}\n`);
  }
}
