import { longestName } from "../../api/account-operations.js";

/** Characters that break lines or reorder the text around them. */
const unfit = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** A name without surrounding blanks; `undefined` if it is blank, too long, or contains unfit characters. */
export function readName(text: string): string | undefined {
  const name = text.trim();
  const isFit = name !== "" && name.length <= longestName && !unfit.test(name) && name.isWellFormed();
  return isFit ? name : undefined;
}
