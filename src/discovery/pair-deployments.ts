import type { FoundContract, FoundDeployment } from "./found.js";

/** The deployment whose code a proxy runs, according to the records. */
export function behind(
  { implementation, network }: FoundDeployment,
  deployments: readonly FoundDeployment[],
): FoundDeployment | undefined {
  return implementation === undefined ? undefined : deploymentAt(implementation, network, deployments);
}

/** The proxies that lead to an address, according to the records; each address once. */
export function inFrontOf(
  address: string,
  network: string,
  deployments: readonly FoundDeployment[],
): readonly FoundDeployment[] {
  const fronts = deployments.filter(
    (one) => one.network === network && one.implementation === address.toLowerCase(),
  );
  return onceEach(fronts);
}

/** The deployments whose code a proxy ran before it was upgraded, according to the records; the latest first. */
export function onceBehind(
  { formerImplementations = [], network }: FoundDeployment,
  deployments: readonly FoundDeployment[],
): readonly FoundDeployment[] {
  return formerImplementations.flatMap((address) => deploymentAt(address, network, deployments) ?? []);
}

/** The proxies that led to an address before they were upgraded, according to the records; each address once. */
export function onceInFrontOf(
  address: string,
  network: string,
  deployments: readonly FoundDeployment[],
): readonly FoundDeployment[] {
  const fronts = deployments.filter(
    (one) => one.network === network && one.formerImplementations?.includes(address.toLowerCase()),
  );
  return onceEach(fronts);
}

/** The deployment at an address on a network. */
export function deploymentAt(
  address: string,
  network: string,
  deployments: readonly FoundDeployment[],
): FoundDeployment | undefined {
  return deployments.find((one) => one.network === network && isAt(one, address));
}

/** The deployed contract: from its record if that has an ABI, because the build may be newer. */
export function contractOf(
  { abiPath, contract }: FoundDeployment,
  contracts: readonly FoundContract[],
): FoundContract | undefined {
  return contracts.find(({ path }) => path === abiPath) ?? contracts.find(({ name }) => name === contract);
}

/** The same deployments, each address once. */
export function onceEach(deployments: readonly FoundDeployment[]): readonly FoundDeployment[] {
  const byAddress = new Map(deployments.map((one) => [one.address.toLowerCase(), one]));
  return [...byAddress.values()];
}

/** Whether a deployment is at an address, ignoring case. */
export function isAt(deployment: FoundDeployment, address: string): boolean {
  return deployment.address.toLowerCase() === address.toLowerCase();
}
