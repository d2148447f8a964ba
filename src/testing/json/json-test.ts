import type { JsonTree } from "../../runtime/wasm/json.js";

/** A test in gnd's form: blocks to run, and queries whose answers are known. */
export interface JsonTest {
  readonly name: string;
  /** The build to test, of a configuration with several chains: `mainnet`. gnd does not know this. */
  readonly network?: string;
  /** Files of IPFS, by CID. */
  readonly files: readonly MockedFile[];
  /** Files of Arweave, by the id of their transaction. */
  readonly arweaveFiles: readonly MockedFile[];
  readonly blocks: readonly MockedBlock[];
  readonly assertions: readonly Assertion[];
}

/** A file that handlers find. It has either a content or a path. */
export interface MockedFile {
  readonly id: string;
  readonly content?: string;
  /** Relative to the test. */
  readonly file?: string;
}

export interface MockedBlock {
  readonly number?: bigint;
  readonly hash?: string;
  /** Unix seconds. */
  readonly timestamp?: bigint;
  /** Wei. */
  readonly baseFeePerGas?: string;
  readonly events: readonly MockedEvent[];
  readonly ethCalls: readonly MockedCall[];
  readonly getBalanceCalls: readonly { readonly address: string; readonly value: string }[];
  readonly hasCodeCalls: readonly { readonly address: string; readonly hasCode: boolean }[];
}

export interface MockedEvent {
  readonly address: string;
  /** `Transfer(address indexed from, address indexed to, uint256 value)` */
  readonly event: string;
  readonly params: ReadonlyMap<string, JsonTree>;
  readonly txHash?: string;
}

export interface MockedCall {
  readonly address: string;
  /** `balanceOf(address):(uint256)` */
  readonly function: string;
  readonly params: readonly JsonTree[];
  readonly returns: readonly JsonTree[];
  readonly reverts: boolean;
}

export interface Assertion {
  readonly query: string;
  readonly expected: JsonTree;
}

/** A test that cannot be run as written. */
export class JsonTestError extends Error {
  override readonly name = "JsonTestError";
}
