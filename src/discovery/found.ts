import type { ContractAbi } from "./read-abi.js";

/** What made the file of a contract; `an ABI` is one that somebody has put there. */
export type Tool = "Foundry" | "Hardhat" | "hardhat-deploy" | "Hardhat Ignition" | "an ABI";

/** A contract that a build tool has compiled. */
export interface FoundContract {
  readonly name: string;
  readonly tool: Tool;
  /** The file of its ABI, relative to the folder that was searched, with `/`. */
  readonly path: string;
  readonly abi: ContractAbi;
  /** Whether it has no code of its own: an interface, or an abstract contract. */
  readonly isAbstract: boolean;
}

/** An address that a build tool has deployed a contract to. */
export interface FoundDeployment {
  /** Name of the contract. */
  readonly contract: string;
  /** `0x` and 40 hexadecimal digits. */
  readonly address: string;
  /** graph-node's name of the network, or the tool's where that is not known. */
  readonly network: string;
  /** The block of its creation. */
  readonly startBlock?: number;
  /** The file that says so, relative to the folder that was searched. */
  readonly path: string;
  /** The file with the ABI of what runs at the address, where the record has it. */
  readonly abiPath?: string;
  /** Where it is a proxy by the records: the contract whose code runs; lower-case hex. */
  readonly implementation?: string;
}

/** A configuration of graphloom that lies in a folder. */
export interface FoundConfig {
  /** Relative to the folder that was searched. */
  readonly path: string;
}
