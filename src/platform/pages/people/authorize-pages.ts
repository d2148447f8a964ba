import { byHand } from "../../../api/account-operations.js";
import { type Html, html } from "../../http/html.js";
import {
  type AuthorizationRequest,
  approveClient,
  readAuthorizationRequest,
  signInFirst,
} from "../../people/authorization.js";
import type { User } from "../../people/users.js";
import type { Platform } from "../../platform.js";
import type { PageScope } from "../page-scope.js";

const address = "/authorize";

/**
 * The page on which a person allows a command line to act for them. The command line opens it as
 * `/authorize?client_id=graphloom-cli&redirect_uri=http://127.0.0.1:<port>/callback&code_challenge=<S256>`
 * `&code_challenge_method=S256&state=<anything>`. It redirects to `<redirect_uri>?code=<code>&state=<the same>`, or with
 * `error=access_denied` instead of the code. With `redirect_uri=urn:ietf:wg:oauth:2.0:oob` it shows the code.
 */
export function addAuthorizePages(pages: PageScope, { database }: Platform): void {
  pages.open(address, async ({ query, visitor, request }) => {
    const asked = readAuthorizationRequest(query);
    if (!visitor) return `/sign-in?next=${encodeURIComponent(request.url)}`;
    if (!visitor.session) return { title: "Log in", body: needsAccount(request.url) };
    const target = asked.redirectUri === byHand ? {} : { formTarget: new URL(asked.redirectUri).origin };
    return { title: "Log in", body: question(asked, visitor.session.user), ...target };
  });

  pages.openPost(address, async ({ form, visitor }) => {
    const asked = readAuthorizationRequest(form);
    if (!visitor?.session) throw signInFirst();
    const code = await approveClient(database, visitor.session, asked);
    if (asked.redirectUri !== byHand) return answered(asked, { code });
    return {
      title: "Log in",
      body: html`<p>Paste this code into the command line. It is valid for two minutes.</p><pre id="code">${code}</pre>`,
    };
  });
}

function question(asked: AuthorizationRequest, { email }: User): Html {
  const fields = {
    client_id: asked.client,
    redirect_uri: asked.redirectUri,
    code_challenge: asked.challenge,
    code_challenge_method: "S256",
    state: asked.state,
  };
  const isByHand = asked.redirectUri === byHand;
  return html`<p>The graphloom command line${!isByHand && " on this computer"} asks for permission to act for you, ${email}, in all your projects, for 30 days.</p>
<p>If you did not just run <code>graphloom login</code>, someone else is asking. Close this page.</p>
<form class="line" method="post" action="${address}">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="main">Allow</button></form>
${!isByHand && html`<p><a href="${answered(asked, { error: "access_denied" })}">Deny</a></p>`}`;
}

function needsAccount(own: string): Html {
  return html`<p>You signed in with an API key, but <code>graphloom login</code> requires an account. <a href="/account?next=${encodeURIComponent(own)}">Create your account</a>, or pass the key itself to the command line.</p>`;
}

/** The address at which the client waits for the result. */
function answered(
  { redirectUri, state }: AuthorizationRequest,
  result: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri);
  url.search = String(new URLSearchParams({ ...result, state }));
  return url.href;
}
