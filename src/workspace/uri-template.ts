/** URIs of resources, with `{name}` places where they are templates (RFC 6570, level 1). */

const PLACE = /\{([A-Za-z_][A-Za-z0-9_]{0,63})\}/g;

/** Scheme of the server's own resources. */
const OWN_SCHEME = "toolyard:";

/** True if the URI has places. */
export function isTemplate(uri: string): boolean {
  return uri.search(PLACE) >= 0;
}

/** Why a URI of a resource is refused; undefined for one that can be used. */
export function uriFault(uri: string): string | undefined {
  const filled = uri.replace(PLACE, "x");
  if (/[{}]/.test(filled)) return 'has a "{" or "}" that is no place such as {id}';
  if (/[\s\p{Cc}]/u.test(uri)) return "has a blank or control character; write it percent-encoded";
  const parsed = URL.parse(filled);
  if (parsed === null) return "is no URI with a scheme, such as docs://handbook";
  if (parsed.protocol === OWN_SCHEME) return `has the scheme "${OWN_SCHEME}", which is the server's own`;
  if (/^[^:/?#]*\{/.test(uri)) return "has a place in its scheme";
  // Two places in one part could be told apart in more than one way, and looking for all of them takes exponential time.
  if (uri.split(/[/?#]/).some((part) => [...part.matchAll(PLACE)].length > 1)) return "has two places in one part; put a / between them";
  const names = [...uri.matchAll(PLACE)].map(([, name]) => name);
  return new Set(names).size === names.length ? undefined : "has the same place twice";
}

/** The values that make the template this URI, decoded; undefined if it is another one. */
export function matchTemplate(template: string, uri: string): ReadonlyMap<string, string> | undefined {
  const names: string[] = [];
  const pattern = template
    .split(/(\{[A-Za-z_][A-Za-z0-9_]{0,63}\})/)
    .map((part) => {
      const name = /^\{(.+)\}$/.exec(part)?.[1];
      if (name === undefined) return part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
      names.push(name);
      return "([^/?#]{1,1024})";
    })
    .join("");
  const match = new RegExp(`^${pattern}$`, "u").exec(uri);
  if (match === null) return undefined;
  try {
    return new Map(names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? "")]));
  } catch {
    return undefined; // Percent signs that are no encoding: not a URI of this template.
  }
}
