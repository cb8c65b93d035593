/** The token of a tool's `auth` in one call: which secrets it is got with, and what of it answers are searched for. */
import { ToolError } from "../core/errors.ts";
import type { HostPattern } from "../core/host-pattern.ts";
import { Secret } from "../core/secret.ts";
import { basicCredentials, renderTemplate } from "../core/secret-template.ts";
import type { BindingTarget } from "./binding-fault.ts";
import type { OAuthTemplate } from "./oauth-template.ts";
import { oauthUses, type SecretUse } from "./tool-secrets.ts";
import type { FoundSecret } from "./vault.ts";

/** What a token is asked for with. Two of equal content are one and the same. */
export interface TokenGrant {
  readonly tool: string;
  /** Tokens of one agent are never another's. */
  readonly agent: string;
  readonly tokenUrl: URL;
  readonly clientId: Secret;
  readonly clientSecret: Secret;
  readonly scope?: string;
  readonly clientAuth: "basic" | "body";
  /** Where every secret of it may go: all that the token request may reach. */
  readonly boundHosts: readonly HostPattern[];
  /** True if a person bound a secret of it to exactly this private `host:port`, or trusted the tool with it. */
  readonly trusted: (hostPort: string) => boolean;
}

/** Where tokens come from; shared by all calls. */
export interface TokenSource {
  /** The token in force, fetched if there is none. Throws `ToolError` AUTH_FAILED, and the signal's reason. */
  get(grant: TokenGrant, signal: AbortSignal): Promise<Secret>;
  /** Another token than the refused one; undefined if that one was fetched just now itself. Throws as `get`. */
  renew(grant: TokenGrant, refused: Secret, signal: AbortSignal): Promise<Secret | undefined>;
}

/** A token for one hop. What is asked of it may fetch one, so ask only for a request that is found right otherwise. */
export interface HopToken {
  /** Who is sent the client's secrets for it. */
  readonly issuer: URL;
  /** The token in force. Throws `ToolError` AUTH_FAILED, and the signal's reason. */
  get(signal: AbortSignal): Promise<Secret>;
  /** Another token than the one that the API refused; undefined if that one was new itself. Throws as `get`. */
  renew(refused: Secret, signal: AbortSignal): Promise<Secret | undefined>;
}

/** The token of one call. */
export interface CallGrant {
  /** The only hosts the token goes to; absent: every host the tool may reach. */
  readonly hosts?: readonly HostPattern[];
  /** The token request and the token. */
  readonly uses: readonly SecretUse[];
  /** Where a use goes in a hop: the token with it, the request for it to its own URL. */
  target(use: SecretUse, hop: BindingTarget): BindingTarget;
  /** `markSent` is told of all that answers are to be searched for, as soon as there is a token. */
  forHop(markSent: (secrets: readonly Secret[]) => void): HopToken;
}

/** What a grant is made of. */
export interface GrantParts {
  readonly secrets: ReadonlyMap<string, FoundSecret>;
  readonly values: ReadonlyMap<string, Secret>;
  readonly trusted: (hostPort: string) => boolean;
  readonly services: { readonly tokens?: TokenSource; readonly agent?: { readonly agent: string } };
}

/** Makes the token of one call. Throws `ToolError` as `renderTemplate`. */
export function createGrant({ tool }: { readonly tool: string }, auth: OAuthTemplate, parts: GrantParts): CallGrant {
  const { secrets, values, trusted, services } = parts;
  const uses = oauthUses(auth);
  const { tokenUrl, scope, clientAuth } = auth;
  const [clientId, clientSecret] = [auth.clientId, auth.clientSecret].map((template) => renderTemplate(template.parts, values));
  if (clientId === undefined || clientSecret === undefined) throw new ToolError("UNAVAILABLE", "A token needs a client.");
  const [{ names }] = uses;
  const grant: TokenGrant = {
    ...{ tool, agent: services.agent?.agent ?? "", tokenUrl, clientId, clientSecret, clientAuth },
    ...(scope === undefined ? {} : { scope }),
    trusted,
    boundHosts: names.flatMap((name) => secrets.get(name)?.hosts ?? []),
  };
  const known = [...names.flatMap((name) => values.get(name) ?? []), clientSecret, ...(clientAuth === "basic" ? [clientBasic(grant)] : [])];
  const source = (): TokenSource => {
    if (services.tokens !== undefined) return services.tokens;
    throw new ToolError("UNAVAILABLE", `${tool} has "auth" in tools.json, and no tokens are fetched here.`);
  };
  return {
    uses,
    ...(auth.hosts === undefined ? {} : { hosts: auth.hosts }),
    target: ({ place }, hop) => (place.kind === "token-request" ? { url: tokenUrl, method: "POST" } : hop),
    forHop: (markSent) => {
      const told = (token: Secret): Secret => {
        markSent([...known, token, new Secret(`Bearer ${token.reveal()}`)]);
        return token;
      };
      return {
        issuer: tokenUrl,
        get: async (signal) => told(await source().get(grant, signal)),
        renew: async (refused, signal) => {
          const token = await source().renew(grant, refused, signal);
          return token === undefined ? undefined : told(token);
        },
      };
    },
  };
}

/** What goes over the wire to get the token (RFC 6749, 4.4.2): the body, and the client's header where it shows itself by one. */
export function tokenRequestText(grant: TokenGrant): { readonly authorization?: Secret; readonly body: Secret } {
  const { clientId, clientSecret, clientAuth, scope } = grant;
  const fields = new URLSearchParams({ grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) });
  if (clientAuth === "basic") return { authorization: clientBasic(grant), body: new Secret(fields.toString()) };
  fields.set("client_id", clientId.reveal());
  fields.set("client_secret", clientSecret.reveal());
  return { body: new Secret(fields.toString()) };
}

/** `Authorization` of a client (RFC 6749, 2.3.1: both are form-encoded first). */
function clientBasic({ clientId, clientSecret }: TokenGrant): Secret {
  const [id = "", secret = ""] = [clientId, clientSecret].map((part) => new URLSearchParams([["", part.reveal()]]).toString().slice(1));
  return new Secret(basicCredentials(id, secret));
}
