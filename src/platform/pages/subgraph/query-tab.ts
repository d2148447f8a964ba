import { html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { queryAddresses } from "../../subgraphs/query-addresses.js";
import type { TabScope } from "./tab-scope.js";

/** Adds the tab that leads to the query pages of a version or a tag. */
export function addQueryTab(tabs: TabScope, { settings }: Platform): void {
  tabs.get("query", "", async ({ entry, base }) => {
    const { hasPublicEndpoint, hasPrivateEndpoint } = entry;
    const addresses = queryAddresses(entry, settings.address());
    const open = hasPrivateEndpoint ? addresses.private : addresses.public;
    const body =
      hasPublicEndpoint || hasPrivateEndpoint
        ? html`<p><a href="${open}">Open the query editor</a></p>`
        : html`<p>Both endpoints are off. Turn one on in the <a href="${base}/settings">settings</a> to query this subgraph.</p>`;
    return { body };
  });
}
