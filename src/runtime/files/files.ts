import { ChainError } from "../chain/chain.js";
import { arweaveId } from "./file-path.js";

/** Files that mappings read by their address on IPFS or Arweave. */
export interface Files {
  /**
   * The content of a file.
   * @param path `Qm…`, `/ipfs/Qm…/name`, `ipfs://Qm…`, or a gateway URL `https://…/ipfs/Qm…`; `ar://…` for a file on
   *   Arweave, and `block://Qm…` for a block of IPFS
   * @param milliseconds maximum wait; by default the implementation decides
   * @returns `undefined` when the file is unavailable: it does not exist, no node provides it, or it is too large
   * @throws ChainError when this is unknown because the gateway cannot be reached; NoGatewayError when there is none
   */
  read(path: string, milliseconds?: number): Promise<Uint8Array | undefined>;
}

/** A mapping needs a gateway that is not set. */
export class NoGatewayError extends ChainError {}

/** Joins the files of IPFS with those of Arweave. */
export function joinFiles({ ipfs, arweave }: Partial<Readonly<Record<"ipfs" | "arweave", Files>>>): Files {
  return {
    read: async (path, milliseconds) => {
      const [files, name, option] =
        arweaveId(path) === undefined ? [ipfs, "IPFS", "--ipfs"] : [arweave, "Arweave", "--arweave"];
      if (files) return files.read(path, milliseconds);
      throw new NoGatewayError(
        `The mappings read files from ${name}, but no ${name} gateway is set. Pass one with ${option} <address>`,
      );
    },
  };
}
