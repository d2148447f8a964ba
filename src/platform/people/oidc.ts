import { isRecord } from "../../base/text/json-value.js";
import type { World } from "../../base/world.js";
import type { OidcIdentity } from "./users.js";

/** An OpenID Connect provider that people can sign in with. */
export interface Oidc {
  /** Its name on the page: the host of its issuer. */
  readonly name: string;
  /**
   * Starts a sign-in.
   * @param redirectUri the address to which the provider redirects the person
   * @throws any error that keeps the provider from answering
   */
  begin(redirectUri: string): Promise<OidcBeginning>;
  /**
   * Verifies the provider's answer and its signature, and returns who signed in.
   * @param returned the complete address to which the provider redirected the person
   * @throws for an error in the answer, or if the provider does not answer
   */
  finish(returned: URL, checks: OidcChecks): Promise<OidcPerson>;
}

/** The values that a browser keeps during a sign-in. */
export interface OidcChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A sign-in that has started. */
export interface OidcBeginning {
  /** The provider's address where the person signs in. */
  readonly address: string;
  readonly checks: OidcChecks;
}

/** A person as the provider identifies them. */
export interface OidcPerson extends OidcIdentity {
  /** Present only if the provider has verified it. */
  readonly email?: string;
  readonly name?: string;
}

/** How to reach a provider. */
export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly world: Pick<World, "fetch" | "now">;
}

/** How many seconds a provider's clock may be ahead of ours. */
const clockDifference = 60;

/** Seconds that a provider may take to answer. */
const patience = 15;

/** Creates a provider. Its configuration is loaded at the first sign-in. */
export function createOidc({ issuer, clientId, clientSecret, world }: OidcOptions): Oidc {
  const load = async () => {
    const client = await import("openid-client");
    const url = new URL(issuer);
    const config = await client.discovery(url, clientId, clientSecret, undefined, {
      timeout: patience,
      [client.customFetch]: (address: string, request: object) => world.fetch(address, request),
      // Verify a token's signature, and do not rely on the connection alone.
      execute: [
        client.enableNonRepudiationChecks,
        ...(url.protocol === "http:" ? [client.allowInsecureRequests] : []),
      ],
    });
    return { client, config };
  };
  let loaded: ReturnType<typeof load> | undefined;
  const ready = () => {
    loaded ??= load().catch((error) => {
      // The next sign-in tries again.
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
  return {
    name: new URL(issuer).host,
    async begin(redirectUri) {
      const { client, config } = await ready();
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const address = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: "S256",
      });
      return { address: address.href, checks };
    },
    async finish(returned, { state, nonce, verifier }) {
      const { client, config } = await ready();
      const tokens = await client.authorizationCodeGrant(config, returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!isRecord(claims) || !isText(claims.sub) || !isText(claims.iss)) {
        throw new TypeError("the provider's ID token does not say who signed in");
      }
      if (!(Number(claims.iat) <= world.now() / 1000 + clockDifference)) {
        throw new TypeError("the provider's ID token was issued in the future");
      }
      const { iss, sub, email, email_verified: isVerified, name } = claims;
      return {
        issuer: iss,
        subject: sub,
        ...(typeof email === "string" && isVerified === true && { email }),
        ...(typeof name === "string" && { name }),
      };
    },
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
