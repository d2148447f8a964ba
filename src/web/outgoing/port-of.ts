/** The port to which requests to an address connect. */
export function portOf({ protocol, port }: URL): number {
  return Number(port || (protocol === "https:" ? 443 : 80));
}
