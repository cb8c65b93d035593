/** Hosts of `secrets set --host`, checked before the value is asked for; a key pasted in their place must not be shown again. */
import { messageOf } from "../core/errors.ts";
import { parseHostPattern } from "../core/host-pattern.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Scheme, asterisk, names, port, path. A public name ends in letters, which random text after a dot rarely does; a name
 * without a dot could be any key, so it has to have a port.
 */
const HOST_LIKE =
  /^(?:https?:\/\/)?(?:localhost|(?:\*\.|[a-z0-9-]{1,63}\.)(?:[a-z0-9-]{1,63}\.)*[a-z]{2,24}|[\d.]+|\[[\da-f:.]+\]|[a-z0-9-]{1,63}(?=:\d))/i;

/** What may follow: a port and a path of short parts. */
const HOST_REST = /^(?::\d{1,9})?(?:\/[\w.*-]{0,24}){0,8}$/;

/** Throws {@link UsageError} for the first host that no secret can be bound to, and repeats it only if it looks like a host. */
export function refuseBadHosts(hosts: readonly string[]): void {
  for (const host of hosts) {
    try {
      parseHostPattern(host, { kind: "binding" });
    } catch (error) {
      throw new UsageError(looksLikeHost(host) ? messageOf(error) : NOT_REPEATED, { cause: error });
    }
  }
}

const NOT_REPEATED =
  "What stands after --host does not look like a host; it is not repeated here, since it may be a secret. " +
  'Write it like "api.example.com", "*.example.com", "https://host:8443/path"; a name that is not public needs its port, as in "nas:8080".';

function looksLikeHost(text: string): boolean {
  const head = HOST_LIKE.exec(text)?.[0];
  return head !== undefined && HOST_REST.test(text.slice(head.length));
}
