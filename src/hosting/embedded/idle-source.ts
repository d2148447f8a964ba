import type { DeploymentHealth } from "../../store/deployments/health.js";
import type { HostedDeployment } from "./hosted-deployment.js";

/**
 * Why a composed subgraph has nothing to index although its chain continues: the first of its sources that has stopped.
 * @param state of the composed subgraph
 * @param states of deployments, also of its sources
 * @param hostedOf what this process knows about a deployment
 * @returns a sentence; `undefined` if none of its sources has stopped
 */
export async function idleSourceOf(
  { sources }: Pick<HostedDeployment, "sources">,
  state: DeploymentHealth | undefined,
  states: ReadonlyMap<string, DeploymentHealth>,
  hostedOf: (deployment: string) => Pick<HostedDeployment, "isPaused"> | undefined,
): Promise<string | undefined> {
  const own = state?.latestBlock?.number ?? -1;
  for (const { deployment, mayRead } of sources) {
    if (!(await mayRead())) return `Its source ${deployment} is not in this project`;
    const source = states.get(deployment);
    if (!source) return `Its source ${deployment} is not indexed yet`;
    const head = source.latestBlock?.number;
    if (head !== undefined && head > own) continue;
    const { fatalError } = source;
    if (fatalError) {
      return `Its source ${deployment} ${fatalError.since === undefined ? "has failed" : "keeps failing"} ${atBlock("at", fatalError.block?.number)}`;
    }
    if (hostedOf(deployment)?.isPaused) return `Its source ${deployment} is paused ${atBlock("after", head)}`;
  }
  return undefined;
}

function atBlock(word: string, block: number | undefined): string {
  return block === undefined ? "before its first block" : `${word} block ${block}`;
}
