/** A host that serves pages, or all hosts below one: `example.com`, `*.example.com`, `localhost:3000`. */
const domain = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/i;

/** Whether a string is valid in a list of domains. */
export function isDomain(text: string): boolean {
  return text.length <= 260 && domain.test(text);
}

/**
 * Whether a page may send requests.
 * @param domains the allowed domains; all are allowed when it is empty
 * @param origin the page's origin, as browsers send it; a client that sends none is not a page
 */
export function isAllowed(domains: readonly string[], origin: string | undefined): boolean {
  if (domains.length === 0) return true;
  if (origin === undefined || !URL.canParse(origin)) return false;
  const { hostname, host } = new URL(origin);
  return domains.some((each) => {
    const wanted = each.toLowerCase();
    return wanted.startsWith("*.")
      ? hostname.endsWith(wanted.slice(1))
      : wanted === hostname || wanted === host;
  });
}
