import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A user who signs in at the provider, and the claims about them. */
export type Claims = Readonly<Record<string, unknown>>;

/** A local OpenID Connect provider that signs its tokens. */
export interface OidcProvider {
  readonly issuer: string;
  /**
   * Signs in a user who was sent to the provider.
   * @param address the URL to which they were sent
   * @param changed wrong claims of the token
   * @returns the URL to which they are sent back
   */
  signIn(address: string, claims: Claims, changed?: Claims): string;
  /** Signs with an unpublished key from now on, or with its own key again. */
  useForeignKey(isForeign: boolean): void;
  close(): Promise<void>;
}

export const clientId = "graphloom";
export const clientSecret = "the secret of the client";

interface Grant {
  readonly claims: Claims;
  readonly challenge: string;
  readonly redirectUri: string;
}

export async function startOidcProvider(): Promise<OidcProvider> {
  const own = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const foreign = generateKeyPairSync("rsa", { modulusLength: 2048 });
  let signing: KeyObject = own.privateKey;
  const grants = new Map<string, Grant>();
  let issued = 0;

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", issuer);
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (url.pathname === "/.well-known/openid-configuration") {
      return answer(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      });
    }
    if (url.pathname === "/keys") {
      const key = own.publicKey.export({ format: "jwk" });
      return answer(200, { keys: [{ ...key, kid: "one", alg: "RS256", use: "sig" }] });
    }
    const form = new URLSearchParams(await bodyOf(request));
    const grant = grants.get(form.get("code") ?? "");
    grants.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isClient = form.get("client_id") === clientId && form.get("client_secret") === clientSecret;
    if (!isClient || grant?.challenge !== challenge || grant.redirectUri !== form.get("redirect_uri")) {
      return answer(400, { error: "invalid_grant" });
    }
    return answer(200, { access_token: "unused", token_type: "Bearer", id_token: tokenOf(grant.claims) });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function tokenOf(claims: Claims): string {
    const parts = [{ alg: "RS256", kid: "one" }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    const signed = sign("sha256", Buffer.from(parts.join(".")), signing);
    return [...parts, signed.toString("base64url")].join(".");
  }

  return {
    issuer,
    signIn(address, claims, changed = {}) {
      const { searchParams: asked } = new URL(address);
      const code = `code-${issued++}`;
      const now = Math.floor(Date.now() / 1000);
      grants.set(code, {
        claims: {
          iss: issuer,
          aud: clientId,
          iat: now,
          exp: now + 300,
          nonce: asked.get("nonce"),
          ...claims,
          ...changed,
        },
        challenge: asked.get("code_challenge") ?? "",
        redirectUri: asked.get("redirect_uri") ?? "",
      });
      const back = new URL(asked.get("redirect_uri") ?? "");
      back.search = String(new URLSearchParams({ code, state: asked.get("state") ?? "" }));
      return back.href;
    },
    useForeignKey: (isForeign) => {
      signing = (isForeign ? foreign : own).privateKey;
    },
    close: () => new Promise((done) => server.close(() => done())),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
