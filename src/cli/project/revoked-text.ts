import type { EndedMembership } from "../../api/account-operations.js";

/**
 * How many keys ended with a membership, as a sentence that follows another; nothing when it is not known, or none did.
 * @param who had made them
 */
export function revokedText(ended: EndedMembership | undefined, who: "you" | "they"): string {
  const count = ended?.revoked_keys ?? 0;
  if (count === 0) return "";
  return count === 1
    ? ` The API key that ${who} created was revoked.`
    : ` The ${count} API keys that ${who} created were revoked.`;
}
