// Runs modules of packages that come as text (realm-libraries.ts). They hold functions and constant tables; no script
// reaches them, and what they keep says nothing about a call. They use the language as they find it: in a realm that
// is not hardened a script can change what they do, but only for its own one call.

/** Modules of our own, by the name they are required by. */
const builtInModules = {
  __proto__: null,
  "./encoding": { utf8Encode, utf8DecodeWithoutBOM: (bytes) => utf8DecodeFrom(bytes, 0) },
  "@exodus/bytes/encoding.js": {},
  "@exodus/bytes/whatwg.js": { percentEncodeAfterEncoding },
  tr46: { toASCII: (domain, options) => hostNames().toASCII(domain, options) },
};

/** Gives the exports of a module by its number. */
const runModule = openLibrary(libraryModules);

let hostNamesModule;

function openLibrary(modules) {
  const exported = { __proto__: null };
  const run = (number) => {
    const known = exported[number];
    if (known !== undefined) return known;
    const module = { exports: {} };
    const { links } = modules[number];
    modules[number].run(module, module.exports, (specifier) =>
      typeof links[specifier] === "number" ? run(links[specifier]) : builtInModules[links[specifier]],
    );
    // Kept only when it has run to its end: a script may be at the end of the stack when it asks.
    exported[number] = module.exports;
    return module.exports;
  };
  return run;
}

/** The module for host names in other scripts than Latin, whose text the process around the realm has. */
function hostNames() {
  hostNamesModule ??= openLibrary(construct(RawFunction, [host.hostNames()])())(0);
  return hostNamesModule;
}

const HEX = "0123456789ABCDEF";

/** URL standard, "percent-encode after encoding", for the one encoding of scripts: UTF-8. */
function percentEncodeAfterEncoding(_encoding, text, encodeSet) {
  const bytes = utf8Encode(text);
  let encoded = "";
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    const character = fromCharCode(byte);
    if (byte >= 0x20 && byte < 0x7f && stringIndexOf(encodeSet, character) < 0) encoded += character;
    else encoded += `%${HEX[byte >> 4]}${HEX[byte & 15]}`;
  }
  return encoded;
}
