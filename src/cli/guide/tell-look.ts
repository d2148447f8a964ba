import type { ContractLook } from "../../discovery/look-up-contract.js";
import type { Terminal } from "../terminal/terminal.js";

/** Reports a node's facts about a contract that matter to a user of its events. */
export function tellLook(
  { proxy, nature }: Extract<ContractLook, { kind: "contract" }>,
  terminal: Terminal,
): void {
  if (proxy)
    terminal.err(
      `It is a proxy (${proxy.kind}) that runs the code of ${proxy.implementation}. That contract's ABI has its events.\n`,
    );
  if (nature?.kind === "implementation")
    terminal.err(
      "It is built to run behind a proxy (UUPS). The events are emitted at the proxy's address; if it has a proxy, index that.\n",
    );
  if (nature?.kind === "diamond")
    terminal.err(
      `It is a diamond (ERC-2535) with its code in ${nature.facets} other ${nature.facets === 1 ? "contract" : "contracts"}. ` +
        "Pass an ABI with the events of all of them: events that it lacks are not indexed.\n",
    );
}
