import type { EndedMembership } from "../../api/account-operations.js";

/**
 * Reports how many keys were revoked with a membership, as a sentence to append; empty if unknown or none.
 * @param who the creator of the keys
 */
export function revokedText(ended: EndedMembership | undefined, who: "you" | "they"): string {
  const count = ended?.revoked_keys ?? 0;
  if (count === 0) return "";
  return count === 1
    ? ` The API key that ${who} created was revoked.`
    : ` The ${count} API keys that ${who} created were revoked.`;
}
