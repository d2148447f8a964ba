/** The address of contracts in tests. */
export const someAddress = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

/** A data source, with some parts replaced. */
export function dataSourceOf(abi: string, changes: object = {}): Record<string, unknown> {
  return { abi, address: someAddress, startBlock: 1, chain: "mainnet", ...changes };
}

/** The smallest valid configuration of an ABI, with some parts replaced. */
export function smallestConfig(name: string, abi: unknown, changes: object = {}): Record<string, unknown> {
  return { version: "1", abis: { [name]: abi }, instances: [dataSourceOf(name)], ...changes };
}
