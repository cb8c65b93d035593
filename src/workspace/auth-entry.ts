/** `auth` of an entry in tools.json: what its types cannot say. */
import { isLoopbackHost } from "../core/host-pattern.ts";
import { isJsonObject, type JsonValue } from "../core/json.ts";
import type { Place, Problem } from "../core/problem.ts";
import { holdsTemplate } from "../core/secret-template.ts";
import { type Checked, checkHosts, checkTemplates } from "./entry-checks.ts";
import { withoutSourceLine } from "./position.ts";
import { below, problemAt, type Spot } from "./zod-problems.ts";

/** OAuth 2 client credentials as written; whoever asks for the token reads the templates. */
export interface AuthEntry {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string;
  readonly clientAuth: "basic" | "body";
  /** Hosts that get the token; absent: every host the tool may reach. */
  readonly hosts?: readonly string[];
  /** Where it is written; without the text of the line, which may hold what should have been a secret. */
  readonly place: Place;
}

/** Reads `auth`, whose types fit already; undefined where there is none. */
export function checkAuth(auth: JsonValue | undefined, spot: Spot): Checked<AuthEntry | undefined> {
  const oauth2 = isJsonObject(auth) ? auth.oauth2 : undefined;
  if (!isJsonObject(oauth2)) return { value: undefined, problems: [] };
  const place = below(spot, "oauth2");
  const hosts = checkHosts(oauth2.hosts, below(place, "hosts"));
  const [tokenUrl, clientId, clientSecret] = [textOf(oauth2.tokenUrl), textOf(oauth2.clientId), textOf(oauth2.clientSecret)];
  const problems: Problem[] = [
    ...hosts.problems,
    ...checkTemplates(oauth2.tokenUrl, below(place, "tokenUrl")),
    ...checkTemplates(oauth2.scope, below(place, "scope")),
  ];
  const fault = tokenUrlFault(tokenUrl);
  if (fault !== undefined) problems.push(problemAt(below(place, "tokenUrl"), { code: "INVALID_VALUE", message: `"tokenUrl" ${fault}.` }));
  if (!holdsTemplate(clientSecret)) {
    const message = '"clientSecret" must name a stored secret, such as "{{CLIENT_SECRET}}"; its value never stands in this file.';
    problems.push(problemAt(below(place, "clientSecret"), { code: "INVALID_VALUE", message }));
  }
  const value: AuthEntry = {
    ...{ tokenUrl, clientId, clientSecret },
    ...(typeof oauth2.scope === "string" ? { scope: oauth2.scope } : {}),
    clientAuth: oauth2.clientAuth === "body" ? "body" : "basic",
    ...(oauth2.hosts === undefined ? {} : { hosts: hosts.hosts }),
    place: withoutSourceLine(place.document.placeOf(place.path, "key")),
  };
  return { value, problems };
}

/** What is wrong with the URL, as the rest of a sentence. RFC 6749, 3.2: no fragment, and TLS, but toward this machine. */
function tokenUrlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be a whole URL, such as "https://login.example.com/oauth/token"';
  const url = new URL(text);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHost(url.hostname))) {
    return 'must begin with "https://"; "http://" goes to this machine only';
  }
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password";
  return text.includes("#") ? 'must not have a part behind "#"' : undefined;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
