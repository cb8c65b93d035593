// Blob, File and FormData.

function makeFileNames(state) {
  const blobs = makeBrand("Blob");
  const Blob = makeBlobClass(blobs);
  const File = makeFileClass(Blob, blobs);
  const forms = makeBrand("FormData");
  const FormData = makeFormClass(state, { __proto__: null, forms, blobs, File });
  return {
    __proto__: null,
    names: { __proto__: null, Blob, File, FormData },
    /** {bytes, type} of a Blob; undefined for anything else. */
    blobOf: blobs.find,
    /** The list of a FormData; undefined for anything else. */
    formList: (value) => forms.find(value)?.list,
    makeBlob: (bytes, type) => blobs.adopt(Blob, { __proto__: null, bytes, type }),
  };
}

/** File API: lower case, and "" if it has other characters than printable ASCII. */
function blobType(given) {
  const type = given === undefined ? "" : `${given}`;
  for (let index = 0; index < type.length; index++) {
    const unit = charCodeAt(type, index);
    if (unit < 0x20 || unit > 0x7e) return "";
  }
  return stringLowerCase(type);
}

function joinBytes(pieces) {
  let length = 0;
  for (let index = 0; index < pieces.length; index++) length += typedArrayByteLength(pieces[index]);
  const bytes = new RawUint8Array(length);
  let at = 0;
  for (let index = 0; index < pieces.length; index++) {
    typedArraySet(bytes, pieces[index], at);
    at += typedArrayByteLength(pieces[index]);
  }
  return bytes;
}

/** A copy of what a Blob is made of. */
function blobBytes(brand, parts, isNative) {
  const pieces = bareArray();
  for (const part of parts) {
    const bytes = brand.find(part)?.bytes ?? bytesOf(part);
    pieces[pieces.length] = bytes ?? utf8Encode(isNative ? unixLines(`${part}`) : `${part}`);
  }
  return joinBytes(pieces);
}

/** Every line end as LF. */
function unixLines(text) {
  let lines = "";
  let start = 0;
  for (let at = stringIndexOf(text, "\r"); at >= 0; at = stringIndexOf(text, "\r", start)) {
    lines += `${stringSlice(text, start, at)}\n`;
    start = text[at + 1] === "\n" ? at + 2 : at + 1;
  }
  return lines + stringSlice(text, start);
}

function makeBlobClass(brand) {
  class Blob {
    constructor(parts, options) {
      if (parts !== undefined && !isObject(parts)) throw new RawTypeError("new Blob takes a list of parts.");
      const given = readOptions(options, "new Blob");
      const endings = given.endings === undefined ? "transparent" : `${given.endings}`;
      if (endings !== "transparent" && endings !== "native") throw new RawTypeError('"endings" must be "transparent" or "native".');
      const bytes = parts === undefined ? new RawUint8Array(0) : blobBytes(brand, parts, endings === "native");
      brand.add(this, { __proto__: null, bytes, type: blobType(given.type) });
    }
    get size() {
      return typedArrayByteLength(brand.of(this).bytes);
    }
    get type() {
      return brand.of(this).type;
    }
    slice(start, end, type) {
      const { bytes } = brand.of(this);
      const part = typedArraySlice(bytes, start === undefined ? 0 : +start, end === undefined ? bytes.length : +end);
      return brand.adopt(Blob, { __proto__: null, bytes: part, type: blobType(type) });
    }
    async text() {
      return utf8Decode(brand.of(this).bytes);
    }
    async bytes() {
      return typedArraySlice(brand.of(this).bytes, 0);
    }
    async arrayBuffer() {
      return typedArrayBuffer(typedArraySlice(brand.of(this).bytes, 0));
    }
  }
  return finishClass(Blob, "Blob");
}

function makeFileClass(Blob, blobs) {
  const brand = makeBrand("File");
  class File extends Blob {
    constructor(parts, name, options) {
      requireArguments(arguments.length, 2, "new File");
      super(parts, options);
      // Blob can be exchanged as the parent of this class: what its stand-in gives must be a Blob of this call, never an object all calls share.
      const blob = blobs.of(this);
      const given = isObject(options) ? options.lastModified : undefined;
      brand.add(this, { __proto__: null, name: toUsv(name), lastModified: given === undefined ? dateNow() : trunc(+given) || 0 });
      blob.fileName = toUsv(name);
    }
  }
  defineReader(File.prototype, "name", brand);
  defineReader(File.prototype, "lastModified", brand);
  return finishClass(File, "File");
}

function makeFormClass(state, { forms, blobs, File }) {
  /** XHR standard, "create an entry". */
  const entryValue = (value, fileName, hasName, place) => {
    const blob = blobs.find(value);
    if (blob === undefined) {
      if (hasName) throw new RawTypeError(`${place} with a file name needs a Blob.`);
      return toUsv(value);
    }
    if (blob.fileName !== undefined && !hasName) return value;
    return new File([value], hasName ? toUsv(fileName) : "blob", { type: blob.type });
  };
  class FormData {
    constructor(form) {
      if (form !== undefined) throw new RawTypeError("new FormData takes nothing here: there are no forms.");
      forms.add(this, { __proto__: null, list: [] });
    }
    append(name, value, fileName) {
      requireArguments(arguments.length, 2, "FormData.append");
      appendPair(forms.of(this).list, toUsv(name), entryValue(value, fileName, arguments.length > 2, "FormData.append"));
    }
    set(name, value, fileName) {
      requireArguments(arguments.length, 2, "FormData.set");
      setPair(forms.of(this).list, toUsv(name), entryValue(value, fileName, arguments.length > 2, "FormData.set"));
    }
    get(name) {
      requireArguments(arguments.length, 1, "FormData.get");
      const found = findPair(forms.of(this).list, pairMatcher(name, undefined));
      return found === undefined ? null : found[1];
    }
    getAll(name) {
      requireArguments(arguments.length, 1, "FormData.getAll");
      return pairValues(forms.of(this).list, toUsv(name));
    }
    has(name) {
      requireArguments(arguments.length, 1, "FormData.has");
      return findPair(forms.of(this).list, pairMatcher(name, undefined)) !== undefined;
    }
    delete(name) {
      requireArguments(arguments.length, 1, "FormData.delete");
      const wanted = pairMatcher(name, undefined);
      keepMembers(forms.of(this).list, (pair) => !wanted(pair));
    }
  }
  makeIterable(state, FormData, "FormData", (form, index) => pairAt(forms.of(form).list, index));
  return finishClass(FormData, "FormData");
}

/** HTML standard, "multipart/form-data encoding algorithm". */
function encodeForm(list, blobOf, boundary) {
  const pieces = bareArray();
  const add = (bytes) => {
    pieces[pieces.length] = bytes;
  };
  for (let index = 0; index < list.length; index++) {
    const [name, value] = [list[index][0], list[index][1]];
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(windowsLines(name))}"`;
    const blob = blobOf(value);
    if (blob === undefined) add(utf8Encode(`${head}\r\n\r\n${windowsLines(value)}\r\n`));
    else {
      const type = blob.type === "" ? "application/octet-stream" : blob.type;
      add(utf8Encode(`${head}; filename="${escapeName(blob.fileName)}"\r\nContent-Type: ${type}\r\n\r\n`));
      add(blob.bytes);
      add(utf8Encode("\r\n"));
    }
  }
  add(utf8Encode(`--${boundary}--\r\n`));
  return joinBytes(pieces);
}

/** Every line end as CRLF. */
function windowsLines(text) {
  return replaceEach(unixLines(text), "\n", "\r\n");
}

function escapeName(name) {
  return replaceEach(replaceEach(replaceEach(name, "\n", "%0A"), "\r", "%0D"), '"', "%22");
}

function replaceEach(text, part, other) {
  let replaced = "";
  let start = 0;
  for (let at = stringIndexOf(text, part); at >= 0; at = stringIndexOf(text, part, start)) {
    replaced += stringSlice(text, start, at) + other;
    start = at + part.length;
  }
  return replaced + stringSlice(text, start);
}
