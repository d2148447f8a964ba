/** Names of chains on the user's machine, used by the tools that run them and by `init`. */
export const localChains: ReadonlySet<string> = new Set([
  "localhost",
  "local",
  "localnet",
  "dev",
  "development",
  "hardhat",
  "anvil",
  "foundry",
  "ganache",
]);

/** The address at which these tools listen by default. */
export const usualLocalNode = "http://127.0.0.1:8545";

/**
 * Ids of the chains that these tools run. Such a chain restarts with different blocks; its node is on the user's
 * machine.
 */
export const localChainIds: ReadonlySet<string> = new Set(["31337", "1337"]);
