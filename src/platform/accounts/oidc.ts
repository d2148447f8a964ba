/** A provider of OpenID Connect that people can sign in with. */
export interface Oidc {
  /** What it is called on the page: the host of its issuer. */
  readonly name: string;
}
