import { visible } from "../../base/text/visible.js";
import { plainSignature } from "../../compiler/abi/abi.js";
import { behind, contractOf, isAt, onceBehind } from "../../discovery/pair-deployments.js";
import type { ContractAbi } from "../../discovery/read-abi.js";
import type { FoundAddress } from "./find-address.js";
import type { Guide } from "./guide-context.js";

/**
 * Reports the records' facts about a contract that matter to a user of its events: its earlier code, and earlier
 * deployments.
 * @param abi the ABI to index it with
 */
export function tellRecords({ deployment }: FoundAddress, abi: ContractAbi, guide: Guide): void {
  if (!deployment) return;
  const { args, answers, contracts, records, terminal } = guide;
  const signatures = new Set(abi.abi.events.map(plainSignature));
  const now = behind(deployment, records)?.contract;
  for (const former of onceBehind(deployment, records)) {
    const ran = `The proxy at ${deployment.address} ran ${visible(former.contract)}`;
    if (now !== undefined && now !== former.contract) terminal.err(`${ran} and now runs ${visible(now)}.\n`);
    const events = contractOf(former, contracts)?.abi.abi.events ?? [];
    const lost = events.filter((one) => !one.anonymous && !signatures.has(plainSignature(one)));
    if (lost.length > 0)
      terminal.err(
        `Only ${visible(former.contract)} has ${lost.map(plainSignature).join(", ")}. ` +
          "To index its history as well, pass an ABI with the events of both: --abi <file>.\n",
      );
  }
  const earlier = records.filter(
    (one) =>
      one.isRepeated &&
      one.contract === deployment.contract &&
      one.network === deployment.network &&
      behind(one, records)?.contract === now &&
      !isAt(one, deployment.address),
  );
  if (earlier.length > 0 && args.contract === undefined && !answers.isAsking)
    terminal.err(
      `This is the latest deployment. The same script deployed it before, at ${earlier.map(({ address }) => address).join(", ")}. ` +
        "To index that one, pass --contract <address>.\n",
    );
}
