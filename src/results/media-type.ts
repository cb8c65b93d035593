/**
 * What bytes are, by how they begin. Signatures from the WHATWG MIME Sniffing Standard, section 6 ("Matching an image
 * type pattern", "Matching an audio or video type pattern"); those it lacks name their source.
 */

/** A type whose bytes can be told. */
interface MediaType {
  readonly mimeType: string;
  /** Other names in use for it; written out, a block always has `mimeType`. */
  readonly aliases: readonly string[];
  readonly matches: (bytes: Buffer) => boolean;
}

/** The type as written in a result, or why it cannot be. */
export type MediaVerdict = { readonly kind: "ok"; readonly mimeType: string } | { readonly kind: "wrong"; readonly reason: string };

/**
 * Checks a declared type against the bytes. A type that is not in the table passes as given if the bytes are not those of
 * one that is: new formats come faster than tables, and only a wrong label does harm (clients refuse the whole answer).
 */
export function checkMediaType(declared: string, bytes: Buffer): MediaVerdict {
  const essence = declared.split(";")[0]?.trim().toLowerCase() ?? "";
  // type/subtype of RFC 6838, section 4.2.
  if (!/^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/.test(essence)) {
    return { kind: "wrong", reason: 'has a "mimeType" that is none, such as "image/png"' };
  }
  if (bytes.length === 0) return { kind: "wrong", reason: "has no bytes" };
  const known = TYPES.find(({ mimeType, aliases }) => mimeType === essence || aliases.includes(essence));
  if (known?.matches(bytes) === true) return { kind: "ok", mimeType: known.mimeType };
  const found = TYPES.find((type) => type.matches(bytes))?.mimeType;
  if (found !== undefined) return { kind: "wrong", reason: `says ${essence}, but its bytes are ${found}` };
  return known === undefined
    ? { kind: "ok", mimeType: essence }
    : { kind: "wrong", reason: `says ${essence}, but its bytes do not begin as that does` };
}

function starts(bytes: Buffer, signature: string, at = 0): boolean {
  return bytes.subarray(at, at + signature.length).equals(Buffer.from(signature, "latin1"));
}

/** RIFF and AIFF files say at byte 8 what they hold; between stands their length. */
function inContainer(bytes: Buffer, container: string, form: string): boolean {
  return starts(bytes, container) && starts(bytes, form, 8);
}

/** ISO base media files (ISO/IEC 14496-12, section 4.3): the major brand at byte 8, or one of those after the version. */
function hasBrand(bytes: Buffer, brands: readonly string[]): boolean {
  if (!starts(bytes, "ftyp", 4)) return false;
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, 256);
  for (let at = 8; at + 4 <= end; at += 4) {
    if (at !== 12 && brands.includes(bytes.toString("latin1", at, at + 4))) return true;
  }
  return false;
}

/** MPEG audio without a tag: frame sync, then version, layer III, bitrate and rate that are not reserved (ISO/IEC 11172-3, section 2.4). */
function isMpegFrame(bytes: Buffer): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  const isSync = first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08;
  return isSync && (second & 0x06) === 0x02 && (third & 0xf0) !== 0xf0 && (third & 0x0c) !== 0x0c;
}

/** AAC in ADTS frames: twelve bits of sync and layer 0 (ISO/IEC 13818-7, section 6.2). */
function isAdtsFrame(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes;
  return first === 0xff && (second & 0xf6) === 0xf0;
}

/**
 * XML whose root is svg, after a declaration, comments and a doctype without declarations of its own. Step by step and
 * not by one pattern: patterns for repeated comments take exponential time on text that only looks like it.
 */
function isSvg(bytes: Buffer): boolean {
  const text = bytes
    .subarray(0, 4_096)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
  for (let rest = text.trimStart(); ; ) {
    if (/^<(?:svg:)?svg[\s>/]/.test(rest)) return true;
    const close = rest.startsWith("<!--") ? "-->" : ">";
    const end = /^<[?!]/.test(rest) ? rest.indexOf(close) : -1;
    if (end < 0) return false;
    rest = rest.slice(end + close.length).trimStart();
  }
}

const TYPES: readonly MediaType[] = [
  { mimeType: "image/png", aliases: ["image/x-png"], matches: (bytes) => starts(bytes, "\x89PNG\r\n\x1a\n") },
  { mimeType: "image/jpeg", aliases: ["image/jpg", "image/pjpeg"], matches: (bytes) => starts(bytes, "\xff\xd8\xff") },
  { mimeType: "image/gif", aliases: [], matches: (bytes) => starts(bytes, "GIF87a") || starts(bytes, "GIF89a") },
  { mimeType: "image/webp", aliases: [], matches: (bytes) => inContainer(bytes, "RIFF", "WEBPVP") },
  { mimeType: "image/bmp", aliases: ["image/x-ms-bmp", "image/x-bmp"], matches: isBitmap },
  { mimeType: "image/x-icon", aliases: ["image/vnd.microsoft.icon"], matches: (bytes) => starts(bytes, "\0\0\x01\0") },
  // TIFF 6.0, section 2.
  { mimeType: "image/tiff", aliases: [], matches: (bytes) => starts(bytes, "II*\0") || starts(bytes, "MM\0*") },
  // AV1 Image File Format, section 6; HEIF, ISO/IEC 23008-12.
  { mimeType: "image/avif", aliases: [], matches: (bytes) => hasBrand(bytes, ["avif", "avis"]) },
  { mimeType: "image/heic", aliases: ["image/heif"], matches: (bytes) => hasBrand(bytes, ["heic", "heix", "heim", "heis"]) },
  { mimeType: "image/svg+xml", aliases: ["image/svg"], matches: isSvg },
  {
    mimeType: "audio/wav",
    aliases: ["audio/wave", "audio/x-wav", "audio/vnd.wave"],
    matches: (bytes) => inContainer(bytes, "RIFF", "WAVE"),
  },
  { mimeType: "audio/mpeg", aliases: ["audio/mp3"], matches: (bytes) => starts(bytes, "ID3") || isMpegFrame(bytes) },
  { mimeType: "audio/ogg", aliases: ["audio/opus", "audio/vorbis"], matches: (bytes) => starts(bytes, "OggS\0") },
  // RFC 9639, section 6.
  { mimeType: "audio/flac", aliases: ["audio/x-flac"], matches: (bytes) => starts(bytes, "fLaC") },
  {
    mimeType: "audio/mp4",
    aliases: ["audio/m4a", "audio/x-m4a"],
    matches: (bytes) => hasBrand(bytes, ["M4A ", "M4B ", "mp41", "mp42", "isom"]),
  },
  { mimeType: "audio/aac", aliases: ["audio/aacp", "audio/x-aac"], matches: isAdtsFrame },
  { mimeType: "audio/webm", aliases: [], matches: (bytes) => starts(bytes, "\x1a\x45\xdf\xa3") },
  { mimeType: "audio/aiff", aliases: ["audio/x-aiff"], matches: (bytes) => inContainer(bytes, "FORM", "AIF") },
  { mimeType: "audio/midi", aliases: ["audio/x-midi", "audio/mid"], matches: (bytes) => starts(bytes, "MThd\0\0\0\x06") },
];

/** "BM" alone begins many texts; the size of the header after it is one of few (12, or from 40 to 124). */
function isBitmap(bytes: Buffer): boolean {
  if (!starts(bytes, "BM") || bytes.length < 18) return false;
  const header = bytes.readUInt32LE(14);
  return header === 12 || (header >= 16 && header <= 124);
}
