/** A host of pages, or all hosts below one: `example.com`, `*.example.com`, `localhost:3000`. */
const domain = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/i;

/** Whether a text can stand in a list of domains. */
export function isDomain(text: string): boolean {
  return text.length <= 260 && domain.test(text);
}

/**
 * Whether a page may ask.
 * @param domains those that may; all when there are none
 * @param origin of the page, as browsers send it; who sends none is no page
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
