/** Where in the requests of a tool secrets stand, by its templates: the one list for calls, listings, checks and trust. */
import type { HostPattern } from "../core/host-pattern.ts";
import { templateForm } from "../core/secret-template.ts";
import type { AddedTemplate } from "./header-template.ts";
import { type OAuthTemplate, oauthNames } from "./oauth-template.ts";

/** All templates of a tool. */
export interface ToolTemplates {
  readonly headers: readonly AddedTemplate[];
  readonly query?: readonly AddedTemplate[];
  readonly auth?: OAuthTemplate;
}

/** A place in a request. `token-request`: what the token is asked for with; `token`: the token itself, at the API. */
export type SecretPlace =
  | { readonly kind: "header" | "query"; readonly name: string }
  | { readonly kind: "token-request"; readonly tokenUrl: URL; readonly clientAuth: "basic" | "body" }
  | { readonly kind: "token" };

/** One place with the secrets that stand there. */
export interface SecretUse {
  readonly place: SecretPlace;
  /** Names as the templates write them, each once; for a token those it is got with. */
  readonly names: readonly string[];
  /** The value with `%s` for its only secret, as bindings write it; undefined if it has several, or for a token. */
  readonly form: string | undefined;
  /** The only hosts it goes to; undefined: every host the tool may reach. A token request goes to its own host alone. */
  readonly hosts: readonly HostPattern[] | undefined;
}

/** Every place of the tool that holds a secret, in the order of tools.json. */
export function secretPlaces({ headers, query = [], auth }: ToolTemplates): readonly SecretUse[] {
  return [
    ...headers.flatMap((header) => addedUse("header", header)),
    ...query.flatMap((parameter) => addedUse("query", parameter)),
    ...(auth === undefined ? [] : oauthUses(auth)),
  ];
}

/** Names of all secrets of the tool as its templates write them, each once. */
export function secretNames(tool: ToolTemplates): readonly string[] {
  return [...new Set(secretPlaces(tool).flatMap(({ names }) => names))];
}

/** The place in words, such as `the header X-Api-Key`. */
export function secretPlaceText(place: SecretPlace): string {
  switch (place.kind) {
    case "header":
      return `the header ${place.name}`;
    case "query":
      return `the query parameter ${JSON.stringify(place.name)}`;
    case "token-request":
      return place.clientAuth === "basic" ? "the header Authorization of the token request" : "the body of the token request";
    case "token":
      return "a token";
  }
}

/** The use of a header or query parameter; none where its template names no secret. */
export function addedUse(kind: "header" | "query", { name, template, hosts }: AddedTemplate): readonly SecretUse[] {
  if (template.names.length === 0) return [];
  return [{ place: { kind, name }, names: template.names, form: templateForm(template), hosts }];
}

/** The token request, and the token. */
export function oauthUses(auth: OAuthTemplate): readonly [SecretUse, SecretUse] {
  const names = oauthNames(auth);
  const { tokenUrl, clientAuth, hosts } = auth;
  // A value that stands in a body as it is has the form of a query parameter's.
  const form = clientAuth === "basic" ? "Basic %s" : bodyForm(auth);
  return [
    { place: { kind: "token-request", tokenUrl, clientAuth }, names, form, hosts: undefined },
    { place: { kind: "token" }, names, form: undefined, hosts },
  ];
}

function bodyForm({ clientId, clientSecret }: OAuthTemplate): string | undefined {
  const forms = [clientId, clientSecret].filter(({ names }) => names.length > 0).map(templateForm);
  return forms.every((form) => form === "%s") ? "%s" : undefined;
}
