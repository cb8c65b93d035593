// What the classes of the web's names have in common. A class is made per call, so that no call can leave anything on it
// for the next; what its objects hold is in a weak map that only the class knows.

/** Data of one class's objects. `of` throws for everything else, `find` gives undefined. */
function makeBrand(className) {
  const records = new RawWeakMap();
  const find = (value) => (isObject(value) ? weakMapGet(records, value) : undefined);
  return {
    __proto__: null,
    find,
    add(value, record) {
      weakMapSet(records, value, record);
      weakMapSet(webKinds, value, className);
      return record;
    },
    /** An object of the class that is made without its constructor. */
    adopt(Class, record) {
      const value = objectCreate(Class.prototype);
      this.add(value, record);
      return value;
    },
    of(value) {
      const record = find(value);
      if (record === undefined) throw new RawTypeError(`This is no ${className}.`);
      return record;
    },
  };
}

/** Web IDL: members are enumerable, and the class has a tag. Gives the class. */
function finishClass(Class, tag) {
  const { prototype } = Class;
  const names = ownKeys(prototype);
  for (let index = 0; index < names.length; index++) {
    if (names[index] === "constructor" || typeof names[index] === "symbol") continue;
    const descriptor = getOwnPropertyDescriptor(prototype, names[index]);
    setPrototypeOf(descriptor, null);
    descriptor.enumerable = true;
    defineProperty(prototype, names[index], descriptor);
  }
  defineTag(prototype, tag);
  return Class;
}

function defineTag(target, tag) {
  defineProperty(target, Symbol.toStringTag, { __proto__: null, value: tag, writable: false, enumerable: false, configurable: true });
}

/** An accessor of a class that is made from a table. */
function defineAccessor(target, name, get, set) {
  defineProperty(target, name, { __proto__: null, get, set, enumerable: true, configurable: true });
}

/** Web IDL: too few arguments are a TypeError. */
function requireArguments(count, needed, place) {
  if (count < needed) throw new RawTypeError(`${place} needs ${needed === 1 ? "1 argument" : `${needed} arguments`}, but got ${count}.`);
}

/** Web IDL "dictionary": options as they are given, none as an empty record. */
function readOptions(given, place) {
  if (given === undefined || given === null) return { __proto__: null };
  if (!isObject(given)) throw new RawTypeError(`${place} takes its options as an object.`);
  return given;
}

/** Web IDL "USVString": text, lone surrogates as U+FFFD. Throws for a symbol. */
function toUsv(value) {
  return toWellFormed(`${value}`);
}

function typeError(message) {
  return new RawTypeError(message);
}

/** Web IDL "sequence of pairs": [name, value] of each member of an iterable, as it comes. */
function readPairs(iterable, place, add, invalid = typeError) {
  for (const pair of iterable) {
    if (!isObject(pair)) throw invalid(`${place} takes pairs of name and value.`);
    const parts = bareArray();
    for (const part of pair) parts[parts.length] = part;
    if (parts.length !== 2) throw invalid(`${place} takes pairs of name and value; one has ${parts.length} parts.`);
    add(parts[0], parts[1]);
  }
}

/** Web IDL "record": own enumerable properties. */
function readRecord(record, add) {
  const names = ownKeys(record);
  for (let index = 0; index < names.length; index++) {
    const descriptor = getOwnPropertyDescriptor(record, names[index]);
    // A symbol is no name: to make text of it throws, as the standard wants.
    if (descriptor?.enumerable) add(names[index], record[names[index]]);
  }
}

/** Keeps the members of a list that fit, in place. */
function keepMembers(list, fits) {
  let kept = 0;
  for (let index = 0; index < list.length; index++) if (fits(list[index])) list[kept++] = list[index];
  list.length = kept;
}

/** Adds keys, values, entries, forEach and iteration over pairs: `pairOf(object, index)` gives [name, value] or undefined. */
function makeIterable(state, Class, tag, pairOf) {
  const { prototype } = Class;
  const iterate = (object, pick) => {
    pairOf(object, 0);
    return construct(webGroup(state, "iterators").PairIterator, [tag, (index) => pairOf(object, index), pick]);
  };
  const methods = {
    entries() {
      return iterate(this, (pair) => [pair[0], pair[1]]);
    },
    keys() {
      return iterate(this, (pair) => pair[0]);
    },
    values() {
      return iterate(this, (pair) => pair[1]);
    },
    forEach(visit, thisArgument) {
      pairOf(this, 0);
      if (typeof visit !== "function") throw new RawTypeError(`${Class.name}.forEach needs a function.`);
      for (let index = 0, pair = pairOf(this, 0); pair !== undefined; pair = pairOf(this, ++index)) {
        apply(visit, thisArgument, [pair[1], pair[0], this]);
      }
    },
  };
  define(prototype, "entries", methods.entries, true);
  define(prototype, "keys", methods.keys, true);
  define(prototype, "values", methods.values, true);
  define(prototype, "forEach", methods.forEach, true);
  define(prototype, Symbol.iterator, methods.entries, false);
}

/** The iterator of every list of pairs of a call. */
function makeIterators() {
  const brand = makeBrand("iterator");
  class PairIterator {
    constructor(tag, read, pick) {
      brand.add(this, { __proto__: null, tag, read, pick, index: 0 });
    }
    next() {
      const iterator = brand.of(this);
      const pair = iterator.read(iterator.index);
      if (pair === undefined) return { value: undefined, done: true };
      iterator.index += 1;
      return { value: iterator.pick(pair), done: false };
    }
    get [Symbol.toStringTag]() {
      return `${brand.find(this)?.tag ?? "Pair"} Iterator`;
    }
  }
  delete PairIterator.prototype.constructor;
  setPrototypeOf(PairIterator.prototype, iteratorPrototype);
  return { __proto__: null, PairIterator };
}
