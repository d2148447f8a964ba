import { html } from "../../http/html.js";
import { queryTextOf } from "../../http/query-of-url.js";
import type { Platform } from "../../platform.js";
import { queryAddresses } from "../../subgraphs/query-addresses.js";
import type { TabScope } from "./tab-scope.js";

/**
 * Adds the tab for queries. It leads to the query page of the private endpoint, which accepts the visitor's session,
 * or of the public one if the private one is off. The address contains the query, so it is passed on.
 */
export function addQueryTab(tabs: TabScope, { settings }: Platform): void {
  tabs.get("query", "", async ({ entry, base, request }) => {
    const { hasPublicEndpoint, hasPrivateEndpoint } = entry;
    const addresses = queryAddresses(entry, settings.address());
    if (hasPublicEndpoint || hasPrivateEndpoint) {
      const query = queryTextOf(request.url);
      const { pathname } = new URL(hasPrivateEndpoint ? addresses.private : addresses.public);
      return query === "" ? pathname : `${pathname}?${query}`;
    }
    return {
      body: html`<p>Both endpoints are off. Turn one on in the <a href="${base}/settings">settings</a> to query this subgraph.</p>`,
    };
  });
}
