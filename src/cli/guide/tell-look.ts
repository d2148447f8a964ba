import type { ContractLook } from "../../discovery/look-up-contract.js";
import type { Terminal } from "../terminal/terminal.js";

/** Says what a node knows of a contract that a user of its events has to know. */
export function tellLook(
  { proxy, nature }: Extract<ContractLook, { kind: "contract" }>,
  terminal: Terminal,
): void {
  if (proxy)
    terminal.err(
      `It is a proxy (${proxy.kind}): what runs is the code of ${proxy.implementation}, whose ABI has its events.\n`,
    );
  if (nature?.kind === "implementation")
    terminal.err(
      "It is made to run behind a proxy (UUPS). Events come from the proxy's address: if there is one, index that.\n",
    );
  if (nature?.kind === "diamond")
    terminal.err(
      `It is a diamond (ERC-2535), whose code is in ${nature.facets} other ${nature.facets === 1 ? "contract" : "contracts"}. ` +
        "Give an ABI with the events of all of them: those of any other ABI are left out.\n",
    );
}
