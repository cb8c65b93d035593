// URLSearchParams.

function makeParamsClass(state, brand, encoding) {
  const changed = (query) => {
    if (query.url === undefined) return;
    const text = encoding.serializeUrlencoded(query.list);
    query.url.query = text === "" ? null : text;
  };
  class URLSearchParams {
    constructor(init = "") {
      const query = brand.add(this, { __proto__: null, list: [], url: undefined });
      weakMapSet(webTexts, this, () => `URLSearchParams ${encoding.serializeUrlencoded(query.list)}`);
      const add = (name, value) => appendPair(query.list, toUsv(name), toUsv(value));
      if (!isObject(init)) {
        const text = toUsv(init);
        query.list = encoding.parseUrlencodedString(text[0] === "?" ? stringSlice(text, 1) : text);
      } else if (init[Symbol.iterator] !== undefined && init[Symbol.iterator] !== null) readPairs(init, "new URLSearchParams", add);
      else addRecord(query.list, init);
    }
    append(name, value) {
      requireArguments(arguments.length, 2, "URLSearchParams.append");
      const query = brand.of(this);
      appendPair(query.list, toUsv(name), toUsv(value));
      changed(query);
    }
    delete(name, value) {
      requireArguments(arguments.length, 1, "URLSearchParams.delete");
      const query = brand.of(this);
      const wanted = pairMatcher(name, value);
      keepMembers(query.list, (pair) => !wanted(pair));
      changed(query);
    }
    get(name) {
      requireArguments(arguments.length, 1, "URLSearchParams.get");
      const found = findPair(brand.of(this).list, pairMatcher(name, undefined));
      return found === undefined ? null : found[1];
    }
    getAll(name) {
      requireArguments(arguments.length, 1, "URLSearchParams.getAll");
      return pairValues(brand.of(this).list, toUsv(name));
    }
    has(name, value) {
      requireArguments(arguments.length, 1, "URLSearchParams.has");
      return findPair(brand.of(this).list, pairMatcher(name, value)) !== undefined;
    }
    set(name, value) {
      requireArguments(arguments.length, 2, "URLSearchParams.set");
      const query = brand.of(this);
      setPair(query.list, toUsv(name), toUsv(value));
      changed(query);
    }
    sort() {
      const query = brand.of(this);
      sortPairs(query.list);
      changed(query);
    }
    toString() {
      return encoding.serializeUrlencoded(brand.of(this).list);
    }
    get size() {
      return brand.of(this).list.length;
    }
  }
  makeIterable(state, URLSearchParams, "URLSearchParams", (params, index) => pairAt(brand.of(params).list, index));
  return finishClass(URLSearchParams, "URLSearchParams");
}

/** Web IDL: of two keys that become the same text the later value stands at the place of the first. */
function addRecord(list, record) {
  readRecord(record, (name, value) => setPair(list, toUsv(name), toUsv(value)));
}

// Lists of [name, value]. A slot is only read where the list has one: a script may have put numbers on Array.prototype.

function appendPair(list, name, value) {
  define(list, list.length, [name, value], true);
}

function pairAt(list, index) {
  return index < list.length ? list[index] : undefined;
}

function pairMatcher(name, value) {
  const wantedName = toUsv(name);
  const wantedValue = value === undefined ? undefined : toUsv(value);
  return (pair) => pair[0] === wantedName && (wantedValue === undefined || pair[1] === wantedValue);
}

function findPair(list, matches) {
  for (let index = 0; index < list.length; index++) if (matches(list[index])) return list[index];
  return undefined;
}

function pairValues(list, name) {
  const values = [];
  for (let index = 0; index < list.length; index++) if (list[index][0] === name) define(values, values.length, list[index][1], true);
  return values;
}

/** The first pair of the name gets the value, the others go; without one it is appended. */
function setPair(list, name, value) {
  const found = findPair(list, (pair) => pair[0] === name);
  if (found === undefined) {
    appendPair(list, name, value);
    return;
  }
  found[1] = value;
  keepMembers(list, (pair) => pair === found || pair[0] !== name);
}

/** By UTF-16 units of the name; pairs of one name keep their order. */
function sortPairs(list) {
  arraySort(list, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
}
