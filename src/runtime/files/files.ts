/** Files that mappings read by their address on IPFS. */
export interface Files {
  /**
   * The content of a file.
   * @param path `Qm…`, `/ipfs/Qm…/name`, `ipfs://Qm…` or that of a gateway, `https://…/ipfs/Qm…`
   * @param milliseconds so long it is waited for at the most; as long as whoever gives the files likes by default
   * @returns nothing when it cannot be had: there is no such file, nobody has it, or it is too large
   * @throws ChainError when there is no telling, because the gateway is out of reach
   */
  read(path: string, milliseconds?: number): Promise<Uint8Array | undefined>;
}
