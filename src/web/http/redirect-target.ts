/**
 * What a message says of a redirect that is not followed: the protocol and host that it leads to, and nothing after
 * them, since nodes have their keys in paths and queries.
 * @param location the header of the answer
 * @param from the URL that was asked
 */
export function redirectRefusal(location: string | null, from: string, status: number): string {
  const target = location !== null && URL.canParse(location, from) ? new URL(location, from).origin : "null";
  // Of what is no web address, the origin is "null".
  if (target === "null")
    return `a redirect without a valid target (HTTP status ${status}), which is not followed`;
  return `a redirect to ${target.slice(0, 200)} (HTTP status ${status}), which is not followed; if that address is right, use it instead`;
}
