import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { inBackground } from "../../base/turns/guarded.js";
import type { AddressRule } from "./address-rule.js";
import { OutgoingError } from "./outgoing-error.js";

/** Resolves the addresses of a host. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/**
 * A lookup for connections to one port, which allows only permitted addresses. The connection goes to the very address
 * that was checked, even if the host name resolves differently a moment later.
 */
export function guardedLookup(resolve: Resolve, rule: AddressRule, port: number): LookupFunction {
  return (host, { all = false, family }, callback) => {
    const found = judged(host, port, resolve, rule).then((addresses) => {
      const fitting = addresses.filter((one) => isOfFamily(one, family));
      const [first] = fitting;
      if (!first) callback(noHost(host), "");
      else if (all) callback(null, fitting);
      else callback(null, first.address, first.family);
    });
    inBackground(found, (error) => callback(error as NodeJS.ErrnoException, ""));
  };
}

/** One forbidden address is enough to refuse the host, because the owner of such a name is up to no good. */
async function judged(
  host: string,
  port: number,
  resolve: Resolve,
  rule: AddressRule,
): Promise<LookupAddress[]> {
  const found = [...(await resolve(host))];
  for (const { address } of found) {
    const reason = rule({ address, port, host });
    if (reason !== undefined) throw new OutgoingError("refused-address", `${host}: ${reason}`);
  }
  return found;
}

function isOfFamily({ family }: LookupAddress, wanted: number | string | undefined): boolean {
  return wanted === undefined || wanted === 0 || `IPv${family}` === wanted || family === wanted;
}

function noHost(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`the host ${host} does not exist`), { code: "ENOTFOUND" });
}
