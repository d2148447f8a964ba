import { longestEmail } from "../../../api/account-operations.js";

/** The pattern of browsers for email fields. It allows only ASCII, so that no two addresses look the same. */
const pattern =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/;

/** An email address as stored, in lower case; `undefined` if the string is not one. */
export function readEmail(text: string): string | undefined {
  const email = text.trim();
  if (email.length > longestEmail || !/^[\x21-\x7e]+$/.test(email)) return undefined;
  const small = email.toLowerCase();
  return pattern.test(small) ? small : undefined;
}
