/** Options of `secrets set` that say where a secret may go, checked before its value is asked for. */
import { messageOf } from "../core/errors.ts";
import { nearestName } from "../core/text.ts";
import { REFUSED_METHODS } from "../egress/script-request.ts";
import { type Binding, bindingText, parseBinding } from "../secrets/binding.ts";
import { refuseBadHosts } from "./secret-hosts.ts";
import { UsageError } from "./usage-error.ts";

/** As commander gives them; those that can be given several times are lists. */
export interface BindingOptions {
  readonly host?: readonly string[];
  readonly header?: string;
  readonly format?: string;
  readonly method?: readonly string[];
}

/** Methods that are near to what people mistype; others, such as PROPFIND, are taken too. */
const COMMON_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * The binding that the options ask for, undefined where they ask for none. Throws {@link UsageError} for what no secret
 * can be bound to; a value that was pasted into the wrong place is not repeated in it.
 */
export function parseBindingOptions({ host, header, format, method }: BindingOptions): Binding | undefined {
  if (host === undefined) {
    if (header === undefined && format === undefined && method === undefined) return undefined;
    throw new UsageError("--header, --format and --method narrow where a secret may go, and are said together with it. Add --host HOST.");
  }
  refuseBadHosts(host);
  for (const one of method ?? []) refuseBadMethod(one);
  try {
    return parseBinding({
      hosts: host,
      ...(header === undefined ? {} : { header }),
      ...(format === undefined ? {} : { format }),
      ...(method === undefined ? {} : { methods: method }),
    });
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

/** Where a secret may go, hosts as the addresses that requests would have. */
export function destinationText(binding: Binding): string {
  return bindingText({ ...binding, hosts: binding.hosts.map((host) => (host.includes("://") ? host : `https://${host}`)) });
}

function refuseBadMethod(text: string): void {
  const method = text.toUpperCase();
  if (COMMON_METHODS.includes(method)) return;
  // A secret bound to such a method alone would never be sent.
  if (REFUSED_METHODS.includes(method)) throw new UsageError(`--method ${method}: no request of a script can use it.`);
  const near = nearestName(method, COMMON_METHODS);
  const isWord = /^[A-Z][A-Z-]{0,31}$/.test(method);
  if (isWord && near === undefined) return;
  throw new UsageError(near === undefined ? "--method is not the name of a method, such as GET." : `--method: did you mean ${near}?`);
}
