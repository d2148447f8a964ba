import { checksummed, checksummedOn } from "../checksum.js";
import type { Rule } from "./rule.js";

/** The case of an address's letters is a checksum, the common one or the chain's own, unless all are of one case. */
export const addressChecksums: Rule = ({ instances }, _context, report) => {
  for (const instance of instances) {
    if (instance.kind !== "data-source") continue;
    const { value, at } = instance.address;
    const digits = value.slice(2);
    if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) continue;
    const right = checksummedOn(instance.chain.value, value);
    if (value === right || value === checksummed(value)) continue;
    report.warning("address-checksum", at, "the checksum of this address is wrong", {
      label: "a digit may be mistyped",
      notes: [
        "the case of the letters is a checksum of all digits",
        `if these digits are right, the address is written "${right}"`,
      ],
      hint: "copy the address from its source again",
    });
  }
};
