/** Files that mappings read by their address on IPFS. */
export interface Files {
  /**
   * The content of a file.
   * @param path `Qm…`, `/ipfs/Qm…/name` or `ipfs://Qm…`
   * @returns nothing when it cannot be had: there is no such file, nobody has it, or it is too large
   * @throws ChainError when there is no telling, because the gateway is out of reach
   */
  read(path: string): Promise<Uint8Array | undefined>;
}
