import { longestEmail } from "../../api/account-operations.js";

/** As a browser judges a field for one, so that nothing but ASCII is in it: no two look the same. */
const pattern =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/;

/** An address of mail as it is kept, in small letters; nothing for what is none. */
export function readEmail(text: string): string | undefined {
  const email = text.trim();
  if (email.length > longestEmail || !/^[\x21-\x7e]+$/.test(email)) return undefined;
  const small = email.toLowerCase();
  return pattern.test(small) ? small : undefined;
}
