import { type AddressPolicy, createAddressRule } from "../../web/outgoing/address-rule.js";
import { meantAddress } from "../../web/outgoing/meant-address.js";
import { portOf } from "../../web/outgoing/port-of.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";

/** Which addresses the webhooks of a server may use. */
export function addressPolicyOf({ isLoopback, reachable = [] }: Platform["settings"]): AddressPolicy {
  return { allowsPrivate: isLoopback, listed: reachable };
}

/**
 * Refuses a webhook whose address is a forbidden IP address. Host names are checked at each delivery, because their
 * addresses may change.
 * @throws Problem `unprocessable`
 */
export function checkReceiver(settings: Platform["settings"], url: string): void {
  const receiver = new URL(url);
  const address = receiver.hostname.replace(/^\[(.*)\]$/, "$1");
  if (!meantAddress(address)) return;
  const port = portOf(receiver);
  const reason = createAddressRule(addressPolicyOf(settings))({ address, port });
  if (reason === undefined) return;
  throw new Problem(
    "unprocessable",
    `The server sends no webhooks to this address: ${reason}. Use a public address, or start the server with --reachable ${receiver.hostname}:${port} to allow this one.`,
    { errors: [{ field: "webhook_url", message: "must be an address that the server sends to" }] },
  );
}
