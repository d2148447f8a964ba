/**
 * What a message says of a redirect that is not followed: the protocol and host that it leads to, and nothing after
 * them, since nodes have their keys in paths and queries.
 * @param location the header of the answer
 * @param from the URL that was asked
 */
export function redirectRefusal(location: string | null, from: string, status: number): string {
  const target = location !== null && URL.canParse(location, from) ? new URL(location, from).origin : "null";
  // Of what is no web address, the origin is "null".
  const where = target === "null" ? "nowhere" : `to ${target.slice(0, 200)}`;
  return `a redirect ${where} (HTTP status ${status}), which is not followed; if that is right, give that address`;
}
