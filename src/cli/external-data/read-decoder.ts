import { EventFragment, Interface } from "ethers/abi";
import { visible } from "../../base/text/visible.js";
import { type DecodingAbi, LogDecoder } from "../../datasets/rows/decoded-rows.js";
import { readAbiFile } from "../../discovery/read-abi.js";
import { createNodeHost } from "../../machine/files/host.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { addressOf } from "./sync-arguments.js";

/** A decoder, and the events that it knows, which distinguish it from other decoders. */
export interface ReadDecoder {
  readonly decoder: LogDecoder;
  /** Sorted; prefixed with the contract's address if the ABI belongs to one contract. */
  readonly events: readonly string[];
}

/**
 * Reads the ABIs that logs are decoded with.
 * @param given files, each prefixed with `<address>=` if it belongs to one contract
 * @param contract the contract whose logs are decoded, in lower case
 * @throws UsageError for a file that is not an ABI, has no events or belongs to a different contract, and when no
 * file is given
 */
export async function readDecoder(
  given: readonly string[],
  contract: string | undefined,
  cwd: string,
): Promise<ReadDecoder> {
  if (given.length === 0)
    throw new UsageError("decoded-logs requires an ABI with the events to decode: pass --abi <file>.");
  const host = createNodeHost({ cwd });
  const abis: DecodingAbi[] = [];
  const events: string[] = [];
  for (const one of given) {
    const [, of, path = one] = /^(0x[^=/]*)=(.*)$/is.exec(one) ?? [];
    const address = of === undefined ? undefined : addressOf(of, "--abi");
    if (address !== undefined && address !== contract)
      throw new UsageError(
        `--abi: ${address} is not the contract of --contract-address. Pass the ABI of that contract.`,
      );
    const read = await readAbiFile(path, host);
    if (read.kind === "none")
      throw new UsageError(`--abi: ${visible(path)} ${read.why}. Pass the ABI as JSON.`);
    const abi = read.entries as readonly object[];
    const found = eventsOf(abi);
    if (found.length === 0)
      throw new UsageError(
        `--abi: ${visible(path)} has no events to decode. Pass the ABI of the contract that emits them; for a proxy, that of its implementation.`,
      );
    abis.push({ abi, ...(address !== undefined && { addresses: [address] }) });
    events.push(...found.map((event) => (address === undefined ? event : `${address} ${event}`)));
  }
  return { decoder: new LogDecoder(abis), events: [...new Set(events)].sort() };
}

function eventsOf(abi: readonly object[]): readonly string[] {
  return new Interface(abi).fragments.flatMap((fragment) =>
    EventFragment.isFragment(fragment) && !fragment.anonymous
      ? [fragment.format("minimal").replace(/^event /, "")]
      : [],
  );
}
