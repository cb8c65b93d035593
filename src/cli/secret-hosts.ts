/** Hosts of `secrets set --host`, checked before the value is asked for; a key pasted in their place must not be shown again. */
import { messageOf } from "../core/errors.ts";
import { type HostPattern, parseHostPattern } from "../core/host-pattern.ts";
import { isNeverReachable } from "../egress/target.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Scheme, asterisk, names, port, path. A public name ends in letters, which random text after a dot rarely does; a name
 * without a dot could be any key, so it has to have a port.
 */
const HOST_LIKE =
  /^(?:https?:\/\/)?(?:localhost|(?:\*\.|[a-z0-9-]{1,63}\.)(?:[a-z0-9-]{1,63}\.)*[a-z]{2,24}|[\d.]+|\[[\da-f:.]+\]|[a-z0-9-]{1,63}(?=:\d))/i;

/** What may follow: a port and a path of short parts. */
const HOST_REST = /^(?::\d{1,9})?(?:\/[\w.*-]{0,24}){0,8}$/;

/** What is said of hosts that are refused, and which are. */
interface HostRules {
  /** Where they were written, as the beginning of a sentence. Default: after `--host`. */
  readonly where?: string;
  /** True where they are taken away from a secret, which may be any that it has. */
  readonly isTakenAway?: boolean;
}

/** Throws {@link UsageError} for the first host that no secret can be bound to, and repeats it only if it looks like a host. */
export function refuseBadHosts(
  hosts: readonly string[],
  { where = "What stands after --host", isTakenAway = false }: HostRules = {},
): void {
  for (const host of hosts) {
    let pattern: HostPattern;
    try {
      pattern = parseHostPattern(host, { kind: "binding" });
    } catch (error) {
      throw new UsageError(looksLikeHost(host) ? messageOf(error) : `${where} ${NOT_REPEATED}`, { cause: error });
    }
    // Stored, it would look as if the secret could go there.
    if (!isTakenAway && isNeverReachable(pattern)) throw new UsageError(`No request may go to ${pattern.host}, ${NEVER}`);
  }
}

const NEVER =
  "whatever anybody allows: it is an address of a cloud's metadata service, which gives out credentials of the machine, or of no host at all. Name the host of the API.";

const NOT_REPEATED =
  "does not look like a host; it is not repeated here, since it may be a secret. " +
  'Write it like "api.example.com", "*.example.com", "https://host:8443/path"; a name that is not public needs its port, as in "nas:8080".';

function looksLikeHost(text: string): boolean {
  const head = HOST_LIKE.exec(text)?.[0];
  return head !== undefined && HOST_REST.test(text.slice(head.length));
}
