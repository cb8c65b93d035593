import { ToolError } from "../core/errors.ts";
import { type HostPattern, parseHostPattern } from "../core/host-pattern.ts";
import { parseTemplate, type Template } from "../core/secret-template.ts";

/** OAuth 2 client credentials as tools.json writes them. */
export interface OAuthText {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string | undefined;
  readonly clientAuth: "basic" | "body";
  readonly hosts?: readonly string[] | undefined;
}

/** The same, parsed: where a token is asked for, with what, and where it goes. */
export interface OAuthTemplate {
  readonly tokenUrl: URL;
  readonly clientId: Template;
  readonly clientSecret: Template;
  readonly scope?: string;
  /** How the client shows who it is: `Authorization: Basic`, or in the body (RFC 6749, 2.3.1). */
  readonly clientAuth: "basic" | "body";
  /** The only hosts the token goes to; absent: every host the tool may reach. */
  readonly hosts?: readonly HostPattern[];
}

/** Parses `auth.oauth2` once, when tools.json is loaded. Throws `ToolError` INVALID_REQUEST; its message repeats no value. */
export function parseOAuthTemplate({ tokenUrl, clientId, clientSecret, scope, clientAuth, hosts }: OAuthText): OAuthTemplate {
  if (!URL.canParse(tokenUrl)) throw new ToolError("INVALID_REQUEST", '"tokenUrl" is not a whole URL.');
  const secret = parsePart("clientSecret", clientSecret);
  if (secret.names.length === 0)
    throw new ToolError("INVALID_REQUEST", '"clientSecret" must name a stored secret, such as "{{CLIENT_SECRET}}".');
  return {
    tokenUrl: new URL(tokenUrl),
    clientId: parsePart("clientId", clientId),
    clientSecret: secret,
    clientAuth,
    ...(scope === undefined ? {} : { scope }),
    ...(hosts === undefined ? {} : { hosts: hosts.map((host) => parseHostPattern(host, { kind: "allowed" })) }),
  };
}

/** Names of the secrets that a token is asked for with, each once. */
export function oauthNames({ clientId, clientSecret }: OAuthTemplate): readonly string[] {
  return [...new Set([...clientId.names, ...clientSecret.names])];
}

function parsePart(field: string, text: string): Template {
  const template = parseTemplate(text);
  if (template.parts.every(({ kind }) => kind !== "basic")) return template;
  throw new ToolError("INVALID_REQUEST", `"${field}" takes the value itself; {{basic USER PASS}} makes that of a header.`);
}
