/** Files that mappings read by their IPFS address. */
export interface Files {
  /**
   * The content of a file.
   * @param path `Qm…`, `/ipfs/Qm…/name`, `ipfs://Qm…`, or a gateway URL `https://…/ipfs/Qm…`
   * @param milliseconds maximum wait; by default the implementation decides
   * @returns `undefined` when the file is unavailable: it does not exist, no node provides it, or it is too large
   * @throws ChainError when this is unknown because the gateway cannot be reached
   */
  read(path: string, milliseconds?: number): Promise<Uint8Array | undefined>;
}
