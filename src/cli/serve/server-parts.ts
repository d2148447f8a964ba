import type { FastifyBaseLogger } from "fastify";
import { edgePart } from "../../platform/edge/edge-part.js";
import { endpoints } from "../../platform/endpoints/endpoints.js";
import type { EndpointOptions } from "../../platform/endpoints/options.js";
import { managementPart } from "../../platform/management/management-part.js";
import { accountsPart } from "../../platform/management/people/accounts-part.js";
import { secretsPart } from "../../platform/management/secrets/secrets-part.js";
import { webhookPart } from "../../platform/management/webhooks/webhook-part.js";
import { identifyBrowser } from "../../platform/pages/identify-browser.js";
import { addPages } from "../../platform/pages/page-routes.js";
import type { PageOptions } from "../../platform/pages/page-scope.js";
import type { SignInCodes } from "../../platform/pages/sign-in-codes.js";
import type { Accounts } from "../../platform/people/accounts.js";
import type { ServerPart } from "../../platform/server-part.js";
import type { References } from "../../platform/subgraphs/change-subgraphs.js";
import { webhooksOf } from "../../platform/webhooks/webhooks.js";

/** A version cannot be deleted while webhooks watch it. */
const webhooksThatRefer: References = async (sql, version) =>
  (await webhooksOf(sql, version)).map((name) => `the webhook "${name}"`);

/**
 * What `serve` and `dev` are made of.
 * @param queries how queries are bounded, where that differs from the defaults
 */
export function serverParts(
  pages: PageOptions & { readonly codes: SignInCodes; readonly accounts: Accounts },
  queries: Partial<EndpointOptions> = {},
  log?: FastifyBaseLogger,
): readonly ServerPart[] {
  return [
    managementPart([webhooksThatRefer]),
    accountsPart(pages.accounts),
    edgePart,
    secretsPart,
    (platform) => webhookPart(platform, log),
    () => ({ routes: endpoints({ ofBrowser: identifyBrowser(pages), ...queries }) }),
    (platform) => ({ routes: (app) => addPages(app, platform, pages) }),
  ];
}
