/** Names of chains on the user's machine, used by the tools that run them and by `init`. */
export const localChains: ReadonlySet<string> = new Set([
  ...["localhost", "local", "localnet", "dev", "development"],
  ...["hardhat", "anvil", "foundry", "ganache"],
]);
