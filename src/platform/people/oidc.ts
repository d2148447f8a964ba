import { isRecord } from "../../base/json-value.js";
import type { World } from "../../base/world.js";
import type { OidcIdentity } from "./users.js";

/** A provider of OpenID Connect that people can sign in with. */
export interface Oidc {
  /** What it is called on the page: the host of its issuer. */
  readonly name: string;
  /**
   * Begins to sign somebody in.
   * @param redirectUri where the provider sends them back to
   * @throws whatever keeps the provider from answering
   */
  begin(redirectUri: string): Promise<OidcBeginning>;
  /**
   * Who was signed in: the answer and its signature are verified.
   * @param returned the address that the provider sent them back to, whole
   * @throws whatever does not fit, or keeps the provider from answering
   */
  finish(returned: URL, checks: OidcChecks): Promise<OidcPerson>;
}

/** What a browser keeps of a sign-in that has begun. */
export interface OidcChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A sign-in that has begun. */
export interface OidcBeginning {
  /** Where the person signs in. */
  readonly address: string;
  readonly checks: OidcChecks;
}

/** Somebody as a provider knows them. */
export interface OidcPerson extends OidcIdentity {
  /** Only one that the provider says it has verified. */
  readonly email?: string;
  readonly name?: string;
}

/** How a provider is reached. */
export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly world: Pick<World, "fetch" | "now">;
}

/** Seconds that a provider's clock may be ahead of ours. */
const clockDifference = 60;

/** Seconds that a provider may take to answer. */
const patience = 15;

/** A provider, which is asked what it is like when the first person signs in. */
export function createOidc({ issuer, clientId, clientSecret, world }: OidcOptions): Oidc {
  const load = async () => {
    const client = await import("openid-client");
    const url = new URL(issuer);
    const config = await client.discovery(url, clientId, clientSecret, undefined, {
      timeout: patience,
      [client.customFetch]: (address: string, request: object) => world.fetch(address, request),
      // A token's signature counts, not only the connection it came over.
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
      // The next one asks again.
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
        ...{ state: checks.state, nonce: checks.nonce },
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
