import { isLoopbackHost } from "../server/http-gate.ts";
import { UsageError } from "./usage-error.ts";

/** Where `serve --http` listens. */
export interface HttpAddress {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** Host of `--http PORT`. */
const DEFAULT_HOST = "127.0.0.1";

/** `PORT`, `HOST:PORT` or `[IPv6]:PORT`. Throws {@link UsageError}. */
export function parseHttpAddress(text: string): HttpAddress {
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new UsageError(`--http takes [HOST:]PORT, such as 7337 or 127.0.0.1:7337; found "${text}".`);
  }
  return { host: match[1] ?? match[2] ?? DEFAULT_HOST, port };
}

/** `--public-url`: an http or https address without path, query or user. Throws {@link UsageError}. */
export function parsePublicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === "/" &&
    url.search === "" &&
    url.hash === "" &&
    url.username === "";
  if (url === undefined || !isPlain) {
    throw new UsageError(`--public-url takes the address clients use, such as https://tools.example.com; found "${text}".`);
  }
  return url;
}

/**
 * Without tokens a server listens on this machine alone, and with them others may reach it only by an address that is
 * told (DESIGN 8). The server refuses the same; here it is said in the words of the command. Throws {@link UsageError}.
 */
export function refuseOpenAddress(
  { host }: HttpAddress,
  { publicUrl, auth }: { readonly publicUrl?: string; readonly auth: boolean },
): void {
  const isOpen = !isLoopbackHost(host);
  if (!auth && publicUrl !== undefined) {
    throw new UsageError("--no-auth is for this machine alone, and --public-url is for others. Leave out one of them.");
  }
  if (!auth && isOpen) {
    throw new UsageError(
      `--no-auth is for this machine alone, and others can reach ${host}. Leave out --no-auth, or listen on 127.0.0.1: --http PORT`,
    );
  }
  if (isOpen && publicUrl === undefined) {
    throw new UsageError(
      `Other machines can reach ${host}, so say by which address: --public-url https://tools.example.com. For this machine alone: --http PORT`,
    );
  }
}
