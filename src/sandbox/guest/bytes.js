// Text and bytes: UTF-8 (WHATWG Encoding, "UTF-8 decoder") and base64 (RFC 4648 section 4).

function isLowSurrogate(text, index) {
  if (index >= text.length) return false;
  const unit = charCodeAt(text, index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Bytes the text takes as UTF-8, a lone surrogate as the three of U+FFFD. */
function utf8Length(text) {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = charCodeAt(text, index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text, index + 1)) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

/** True if the text takes more than `maxBytes` bytes as UTF-8. */
function isOver(text, maxBytes) {
  if (text.length > maxBytes) return true;
  return text.length * 3 > maxBytes && utf8Length(text) > maxBytes;
}

/** At most `maxCharacters` UTF-16 units, well formed; what was cut is marked by an ellipsis. */
function cutText(text, maxCharacters) {
  const cut = text.length > maxCharacters ? `${stringSlice(text, 0, max(0, maxCharacters - 1))}…` : text;
  return isWellFormed(cut) ? cut : toWellFormed(cut);
}

/** As much of the text as fits into `maxBytes` bytes of UTF-8, cut at a code point. */
function cutToBytes(text, maxBytes) {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const start = index;
    const unit = charCodeAt(text, index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text, index + 1)) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
    if (bytes > maxBytes) return stringSlice(text, 0, start);
  }
  return text;
}

/** The text as UTF-8 in a new Uint8Array. */
function utf8Encode(text) {
  const bytes = new RawUint8Array(utf8Length(text));
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    let point = charCodeAt(text, index);
    if (point >= 0xd800 && point <= 0xdfff) {
      if (point <= 0xdbff && isLowSurrogate(text, index + 1)) {
        index += 1;
        point = 0x10000 + ((point - 0xd800) << 10) + (charCodeAt(text, index) - 0xdc00);
      } else point = 0xfffd;
    }
    if (point < 0x80) bytes[at++] = point;
    else if (point < 0x800) {
      bytes[at++] = 0xc0 | (point >> 6);
      bytes[at++] = 0x80 | (point & 63);
    } else {
      if (point < 0x10000) bytes[at++] = 0xe0 | (point >> 12);
      else {
        bytes[at++] = 0xf0 | (point >> 18);
        bytes[at++] = 0x80 | ((point >> 12) & 63);
      }
      bytes[at++] = 0x80 | ((point >> 6) & 63);
      bytes[at++] = 0x80 | (point & 63);
    }
  }
  return bytes;
}

const UNITS_AT_ONCE = 4096;

/** Collects about so many UTF-16 units and joins them; `fromCharCode` takes only so many arguments. */
function makeTextBuilder(expected = UNITS_AT_ONCE) {
  const room = max(1, min(expected, UNITS_AT_ONCE));
  const units = new RawUint16Array(room);
  let used = 0;
  let text = "";
  const flush = () => {
    text += apply(fromCharCode, undefined, typedArraySubarray(units, 0, used));
    used = 0;
  };
  return {
    __proto__: null,
    add(unit) {
      units[used++] = unit;
      if (used === room) flush();
    },
    /** The text so far; what is added next begins a new one. */
    take() {
      flush();
      const taken = text;
      text = "";
      return taken;
    },
    finish() {
      flush();
      return text;
    },
  };
}

/** What is known of a UTF-8 text between two pieces of it. */
function makeUtf8State() {
  return { __proto__: null, point: 0, needed: 0, lower: 0x80, upper: 0xbf };
}

/** Adds the text of the bytes from `start` on to the builder, each malformed sequence as U+FFFD. True if there was none. */
function utf8DecodeInto(state, bytes, start, builder) {
  const length = typedArrayByteLength(bytes);
  let { point, needed, lower, upper } = state;
  let isWhole = true;
  for (let index = start; index < length; index++) {
    const byte = bytes[index];
    if (needed > 0 && (byte < lower || byte > upper)) {
      builder.add(0xfffd);
      needed = 0;
      isWhole = false;
    }
    if (needed > 0) {
      point = (point << 6) | (byte & 63);
      needed -= 1;
      lower = 0x80;
      upper = 0xbf;
      if (needed > 0) continue;
      if (point < 0x10000) builder.add(point);
      else {
        builder.add(0xd800 + ((point - 0x10000) >> 10));
        builder.add(0xdc00 + ((point - 0x10000) & 0x3ff));
      }
      continue;
    }
    // The first byte narrows the second, which refuses overlong forms, surrogates and what is above U+10FFFF.
    lower = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    upper = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    if (byte < 0x80) builder.add(byte);
    else if (byte >= 0xc2 && byte <= 0xf4) {
      needed = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      point = byte & (63 >> needed);
    } else {
      builder.add(0xfffd);
      isWhole = false;
    }
  }
  state.point = point;
  state.needed = needed;
  state.lower = lower;
  state.upper = upper;
  return isWhole;
}

/** The text has ended: half a character is malformed too. True if there was none. */
function utf8DecodeEnd(state, builder) {
  if (state.needed === 0) return true;
  builder.add(0xfffd);
  state.needed = 0;
  return false;
}

/** The bytes as text; each malformed sequence becomes U+FFFD, a byte order mark at the start is dropped. */
function utf8Decode(bytes) {
  const hasMark = typedArrayByteLength(bytes) >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return utf8DecodeFrom(bytes, hasMark ? 3 : 0);
}

/** The bytes from `start` on as text; each malformed sequence becomes U+FFFD. */
function utf8DecodeFrom(bytes, start) {
  const builder = makeTextBuilder(typedArrayByteLength(bytes) - start);
  const state = makeUtf8State();
  utf8DecodeInto(state, bytes, start, builder);
  utf8DecodeEnd(state, builder);
  return builder.finish();
}

const BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64Units = new RawUint8Array(64);
const base64Values = new RawUint8Array(128);
for (let digit = 0; digit < 64; digit++) {
  base64Units[digit] = charCodeAt(BASE64_DIGITS, digit);
  base64Values[base64Units[digit]] = digit;
}

/** The bytes of a Uint8Array as base64 with padding. */
function base64Encode(bytes) {
  const builder = makeTextBuilder();
  const length = typedArrayByteLength(bytes);
  for (let index = 0; index < length; index += 3) {
    const group = (bytes[index] << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    builder.add(base64Units[group >> 18]);
    builder.add(base64Units[(group >> 12) & 63]);
    builder.add(index + 1 < length ? base64Units[(group >> 6) & 63] : 61);
    builder.add(index + 2 < length ? base64Units[group & 63] : 61);
  }
  return builder.finish();
}

/** The bytes of well-formed base64, as the host sends it. */
function base64Decode(text) {
  let length = text.length;
  while (length > 0 && charCodeAt(text, length - 1) === 61) length -= 1;
  const bytes = new RawUint8Array(floor((length * 3) / 4));
  let bits = 0;
  let group = 0;
  let at = 0;
  for (let index = 0; index < length; index++) {
    group = ((group << 6) | base64Values[charCodeAt(text, index) & 127]) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (group >> bits) & 255;
    }
  }
  return bytes;
}

/** A Uint8Array over the bytes of a typed array, DataView or ArrayBuffer; undefined for anything else. */
function bytesOf(value) {
  if (isView(value)) {
    return typedArrayTag(value) === undefined
      ? new RawUint8Array(dataViewBuffer(value), dataViewOffset(value), dataViewByteLength(value))
      : new RawUint8Array(typedArrayBuffer(value), typedArrayOffset(value), typedArrayByteLength(value));
  }
  try {
    arrayBufferByteLength(value);
  } catch {
    return undefined; // the getter throws for everything that is not an ArrayBuffer
  }
  return new RawUint8Array(value);
}
