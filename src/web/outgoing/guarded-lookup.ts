import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import type { AddressRule } from "./address-rule.js";
import { OutgoingError } from "./outgoing-error.js";

/** Looks the addresses of a host up. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/**
 * A look-up for connections that lets them be made only to addresses that may be reached. A connection is made to an
 * address that was judged, whatever the host's name leads to a moment later.
 */
export function guardedLookup(resolve: Resolve, rule: AddressRule): LookupFunction {
  return (host, { all = false, family }, callback) => {
    judged(host, resolve, rule).then(
      (found) => {
        const fitting = found.filter((one) => isOfFamily(one, family));
        const [first] = fitting;
        if (!first) callback(noHost(host), "");
        else if (all) callback(null, fitting);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}

/** One address that may not be reached is enough to refuse the host: who owns the name means no good. */
async function judged(host: string, resolve: Resolve, rule: AddressRule): Promise<LookupAddress[]> {
  const found = [...(await resolve(host))];
  for (const { address } of found) {
    const reason = rule(address);
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
