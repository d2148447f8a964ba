import type { ContractAbi } from "./read-abi.js";

/** The tool that made a contract's file; `an ABI` is a file that a person put there. */
export type Tool = "Foundry" | "Hardhat" | "hardhat-deploy" | "Hardhat Ignition" | "an ABI";

/** A contract that a build tool compiled. */
export interface FoundContract {
  readonly name: string;
  readonly tool: Tool;
  /** The file of its ABI, relative to the searched folder, with `/`. */
  readonly path: string;
  readonly abi: ContractAbi;
  /** Whether it has no code: an interface or an abstract contract. */
  readonly isAbstract: boolean;
}

/** An address to which a build tool deployed a contract. */
export interface FoundDeployment {
  /** Name of the contract. */
  readonly contract: string;
  /** `0x` and 40 hexadecimal digits. */
  readonly address: string;
  /** graph-node's name for the network, or the tool's if that is unknown. */
  readonly network: string;
  /** The block in which it was created, or an earlier one if the record does not settle it. */
  readonly startBlock?: number;
  /** The file that records the deployment, relative to the searched folder. */
  readonly path: string;
  /** The file with the ABI of the code at the address, if the record has it. */
  readonly abiPath?: string;
  /** The contract whose code runs, if the records show a proxy; lower-case hex. */
  readonly implementation?: string;
  /** The contracts whose code ran there before it was upgraded, the latest first; lower-case hex. */
  readonly formerImplementations?: readonly string[];
  /** Whether a later run of the same script deployed the contract again, to another address. */
  readonly isRepeated?: true;
}

/** A graphloom configuration in a folder. */
export interface FoundConfig {
  /** Relative to the searched folder. */
  readonly path: string;
}
