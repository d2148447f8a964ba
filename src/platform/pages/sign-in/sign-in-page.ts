import { type Html, html } from "../../http/html.js";

/** The content of the sign-in page. */
export interface SignInView {
  /** The path to continue to after the sign-in. */
  readonly next: string;
  /** Why the previous attempt failed. */
  readonly problem?: string | undefined;
  /** Whether any account exists. Without one, only an API key can sign in. */
  readonly hasPeople: boolean;
  /** The name of the OpenID Connect provider, if people can sign in through one. */
  readonly oidc?: string | undefined;
  /** Whether the server can send mails, and so reset passwords. */
  readonly hasMail: boolean;
}

/** The form for a password or an API key. */
export function signInPage(view: SignInView): Html {
  const { problem, oidc, hasMail, hasPeople } = view;
  return html`${problem !== undefined && html`<p class="notice bad" role="alert">${problem}</p>`}
${hasPeople && passwordForm(view)}
${oidc !== undefined && oidcLink(oidc, view.next)}
${hasPeople && hasMail && html`<p class="small"><a href="/password">Forgot your password?</a></p>`}
${hasPeople || oidc !== undefined ? html`<h2>Or use an API key</h2>` : ""}
${keyForm(view)}`;
}

function passwordForm({ next }: SignInView): Html {
  return html`<form class="stack" method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
<label>Email address <input name="email" type="email" required autocomplete="username" maxlength="254" size="30" autofocus></label>
<label>Password <input name="password" type="password" required autocomplete="current-password" maxlength="1024" size="30"></label>
<button class="main">Sign in</button></form>`;
}

function oidcLink(name: string, next: string): Html {
  return html`<p><a class="button" href="/sign-in/oidc?next=${encodeURIComponent(next)}">Sign in with ${name}</a></p>`;
}

function keyForm({ next, hasPeople }: SignInView): Html {
  const focus = hasPeople ? html`` : html` autofocus`;
  return html`<form class="stack" method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
<label>API key <input name="key" type="password" required autocomplete="off" size="40"${focus}></label>
<button${hasPeople ? "" : html` class="main"`}>Sign in with an API key</button></form>
<p class="soft">The server printed an API key when it first started. Once signed in, you can create more under API keys.</p>`;
}

/** The path to continue to after a sign-in, always on this server. */
export function localPath(text: string | undefined): string {
  return text !== undefined && /^\/(?![/\\])/.test(text) && !/[\p{Cc}\\]/u.test(text) ? text : "/";
}
