// TextEncoder, TextDecoder, atob and btoa. Of the standard's forty encodings the four that pages and files still have.

const DECODER_LABELS = {
  __proto__: null,
  "utf-8": ["utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"],
  "utf-16le": ["utf-16le", "utf-16", "ucs-2", "iso-10646-ucs-2", "csunicode", "unicode", "unicodefeff"],
  "utf-16be": ["utf-16be", "unicodefffe"],
  "windows-1252": [
    ...["windows-1252", "x-cp1252", "cp1252", "latin1", "l1", "csisolatin1", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1"],
    ...["iso_8859-1:1987", "iso-ir-100", "cp819", "ibm819", "ascii", "us-ascii", "ansi_x3.4-1968"],
  ],
};

/** Encoding standard, index windows-1252: what 0x80 to 0x9F stand for; the rest is Latin-1. */
const WINDOWS_1252 =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";

/** The encoding's name; undefined for one that is not known. */
function encodingOf(label) {
  const wanted = stringLowerCase(trimAscii(label));
  const names = objectKeys(DECODER_LABELS);
  for (let index = 0; index < names.length; index++) {
    const labels = DECODER_LABELS[names[index]];
    for (let at = 0; at < labels.length; at++) if (labels[at] === wanted) return names[index];
  }
  return undefined;
}

/** Without the standard's "ASCII whitespace" at both ends. */
function trimAscii(text) {
  let start = 0;
  let end = text.length;
  while (start < end && isAsciiSpace(charCodeAt(text, start))) start += 1;
  while (end > start && isAsciiSpace(charCodeAt(text, end - 1))) end -= 1;
  return stringSlice(text, start, end);
}

function isAsciiSpace(unit) {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0c || unit === 0x0d;
}

/** Adds bytes to a builder piece by piece: {write(bytes), end()}, both true if nothing was malformed. */
function makeDecoder(encoding, builder) {
  if (encoding === "utf-8") {
    const state = makeUtf8State();
    return { __proto__: null, write: (bytes) => utf8DecodeInto(state, bytes, 0, builder), end: () => utf8DecodeEnd(state, builder) };
  }
  if (encoding === "windows-1252") return { __proto__: null, write: (bytes) => decodeWindows1252(bytes, builder), end: () => true };
  return makeUtf16Decoder(encoding === "utf-16be", builder);
}

function decodeWindows1252(bytes, builder) {
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    builder.add(byte >= 0x80 && byte <= 0x9f ? charCodeAt(WINDOWS_1252, byte - 0x80) : byte);
  }
  return true;
}

/** Encoding standard, "shared UTF-16 decoder". */
function makeUtf16Decoder(isBigEndian, builder) {
  let first = -1;
  let lead = -1;
  const addUnit = (unit) => {
    const isTrail = unit >= 0xdc00 && unit <= 0xdfff;
    let isWhole = true;
    if (lead >= 0) {
      builder.add(isTrail ? lead : 0xfffd);
      isWhole = isTrail;
      lead = -1;
      if (isTrail) {
        builder.add(unit);
        return true;
      }
    }
    if (unit >= 0xd800 && unit <= 0xdbff) lead = unit;
    else builder.add(isTrail ? 0xfffd : unit);
    return isWhole && !isTrail;
  };
  return {
    __proto__: null,
    write(bytes) {
      let isWhole = true;
      for (let index = 0; index < bytes.length; index++) {
        if (first < 0) {
          first = bytes[index];
          continue;
        }
        const unit = isBigEndian ? (first << 8) | bytes[index] : (bytes[index] << 8) | first;
        first = -1;
        if (!addUnit(unit)) isWhole = false;
      }
      return isWhole;
    },
    end() {
      const isWhole = first < 0 && lead < 0;
      if (!isWhole) builder.add(0xfffd);
      first = -1;
      lead = -1;
      return isWhole;
    },
  };
}

function makeEncodingNames(state) {
  return {
    __proto__: null,
    names: { __proto__: null, TextEncoder: makeEncoderClass(), TextDecoder: makeDecoderClass(), ...makeBase64(state) },
  };
}

function makeEncoderClass() {
  const brand = makeBrand("TextEncoder");
  class TextEncoder {
    constructor() {
      brand.add(this, { __proto__: null });
    }
    get encoding() {
      brand.of(this);
      return "utf-8";
    }
    encode(text = "") {
      brand.of(this);
      return utf8Encode(`${text}`);
    }
    encodeInto(source, destination) {
      brand.of(this);
      requireArguments(arguments.length, 2, "TextEncoder.encodeInto");
      const text = `${source}`;
      if (typedArrayTag(destination) !== "Uint8Array") throw new RawTypeError("TextEncoder.encodeInto writes into a Uint8Array.");
      const fitting = cutToBytes(text, typedArrayByteLength(destination));
      const bytes = utf8Encode(fitting);
      for (let index = 0; index < bytes.length; index++) destination[index] = bytes[index];
      return { read: fitting.length, written: bytes.length };
    }
  }
  return finishClass(TextEncoder, "TextEncoder");
}

function makeDecoderClass() {
  const brand = makeBrand("TextDecoder");
  class TextDecoder {
    constructor(label = "utf-8", options = undefined) {
      const encoding = encodingOf(`${label}`);
      if (encoding === undefined) {
        const known = "utf-8, utf-16le, utf-16be and windows-1252 (latin1)";
        throw new RawRangeError(
          `TextDecoder does not know the encoding ${jsonStringify(cutText(`${label}`, 40))}; here it knows ${known}.`,
        );
      }
      const given = readOptions(options, "new TextDecoder");
      const flag = (name) => !!given[name];
      brand.add(this, { __proto__: null, encoding, fatal: flag("fatal"), ignoreBOM: flag("ignoreBOM"), stream: undefined });
    }
    decode(input, options = undefined) {
      const record = brand.of(this);
      const bytes = input === undefined ? new RawUint8Array(0) : bytesOf(input);
      if (bytes === undefined) throw new RawTypeError("TextDecoder.decode takes an ArrayBuffer, a typed array or a DataView.");
      return decodePiece(record, bytes, !!readOptions(options, "TextDecoder.decode").stream);
    }
  }
  const readers = ["encoding", "fatal", "ignoreBOM"];
  for (let index = 0; index < readers.length; index++) defineReader(TextDecoder.prototype, readers[index], brand);
  return finishClass(TextDecoder, "TextDecoder");
}

function decodePiece(record, bytes, isStream) {
  const stream = record.stream ?? { __proto__: null, decoder: undefined, builder: makeTextBuilder(bytes.length + 2), hasBegun: false };
  stream.decoder ??= makeDecoder(record.encoding, stream.builder);
  const isWhole = stream.decoder.write(bytes);
  const isEndWhole = isStream || stream.decoder.end();
  record.stream = isStream ? stream : undefined;
  let text = stream.builder.take();
  if (record.fatal && !(isWhole && isEndWhole)) {
    record.stream = undefined;
    const error = new RawTypeError(`The bytes are not valid ${record.encoding}.`);
    define(error, "code", "ERR_ENCODING_INVALID_ENCODED_DATA", true);
    throw error;
  }
  if (!stream.hasBegun && text !== "") {
    stream.hasBegun = true;
    if (!record.ignoreBOM && charCodeAt(text, 0) === 0xfeff) text = stringSlice(text, 1);
  }
  return text;
}

function makeBase64(state) {
  const wrong = (what) => domError(state, "InvalidCharacterError", what);
  return {
    __proto__: null,
    // Infra standard, "forgiving-base64 decode".
    atob: (...values) => {
      requireArguments(values.length, 1, "atob");
      const digits = base64Digits(`${values[0]}`);
      if (digits === undefined) throw wrong("The text is not correctly encoded as base64.");
      const bytes = base64Decode(digits);
      const builder = makeTextBuilder();
      for (let index = 0; index < bytes.length; index++) builder.add(bytes[index]);
      return builder.finish();
    },
    btoa: (...values) => {
      requireArguments(values.length, 1, "btoa");
      const text = `${values[0]}`;
      const bytes = new RawUint8Array(text.length);
      for (let index = 0; index < text.length; index++) {
        const unit = charCodeAt(text, index);
        if (unit > 255) throw wrong("btoa takes characters up to U+00FF; encode text with TextEncoder first.");
        bytes[index] = unit;
      }
      return base64Encode(bytes);
    },
  };
}

/** The digits of a base64 text without spaces and padding; undefined if it is none. */
function base64Digits(text) {
  const builder = makeTextBuilder();
  let padding = 0;
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = charCodeAt(text, index);
    if (isAsciiSpace(unit)) continue;
    if (unit === 61) padding += 1;
    else if (padding > 0 || unit > 127 || base64Units[base64Values[unit]] !== unit) return undefined;
    else {
      builder.add(unit);
      count += 1;
    }
  }
  const isPadded = padding === 0 || (padding <= 2 && (count + padding) % 4 === 0);
  return isPadded && count % 4 !== 1 ? builder.finish() : undefined;
}
