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
