/**
 * Describes a redirect that is not followed. Names only the protocol and host of its target, because the addresses of
 * nodes carry keys in paths and queries.
 * @param location the `location` header of the answer
 * @param from the URL of the request
 */
export function redirectRefusal(location: string | null, from: string, status: number): string {
  const target = location !== null && URL.canParse(location, from) ? new URL(location, from).origin : "null";
  // The origin of anything but a web address is "null".
  if (target === "null")
    return `a redirect without a valid target (HTTP status ${status}), which is not followed`;
  return `a redirect to ${target.slice(0, 200)} (HTTP status ${status}), which is not followed; if that address is right, use it instead`;
}
