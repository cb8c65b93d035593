// URL and URLSearchParams: the standard's classes over the algorithms of whatwg-url.

/** A query is {list, url}: a list of [name, value], and the record of the URL it belongs to. */
function makeUrlNames(state) {
  const algorithms = runModule(libraryEntries["whatwg-url/lib/url-state-machine.js"]);
  const encoding = runModule(libraryEntries["whatwg-url/lib/urlencoded.js"]);
  const queries = makeBrand("URLSearchParams");
  const URLSearchParams = makeParamsClass(state, queries, encoding);
  /** The URL has this record, or its record another query. */
  const setQuery = (params, record) => {
    const query = queries.of(params);
    query.url = record;
    query.list = record.query === null ? [] : encoding.parseUrlencodedString(record.query);
    return params;
  };
  return {
    __proto__: null,
    names: {
      __proto__: null,
      URL: makeUrlClass(algorithms, (record) => setQuery(new URLSearchParams(), record), setQuery),
      URLSearchParams,
    },
    /** Text of a URLSearchParams; undefined for anything else. */
    paramsText: (value) => {
      const query = queries.find(value);
      return query === undefined ? undefined : encoding.serializeUrlencoded(query.list);
    },
    /** {href, hasCredentials} of an absolute URL; undefined if the text is none. */
    parse: (text) => {
      const record = algorithms.basicURLParse(text);
      if (record === null) return undefined;
      return { __proto__: null, href: algorithms.serializeURL(record), hasCredentials: record.username !== "" || record.password !== "" };
    },
  };
}

const URL_COMPONENTS = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];

function makeUrlClass(algorithms, newQuery, setQuery) {
  const brand = makeBrand("URL");
  const parse = (text, base) => {
    const baseURL = base === undefined ? null : algorithms.basicURLParse(toUsv(base));
    return base !== undefined && baseURL === null ? null : algorithms.basicURLParse(text, { baseURL });
  };
  const adoptUrl = (url, record) => {
    brand.add(url, { __proto__: null, record, params: newQuery(record) });
    weakMapSet(webTexts, url, () => `URL ${algorithms.serializeURL(brand.of(url).record)}`);
    return url;
  };
  class URL {
    constructor(url, base) {
      requireArguments(arguments.length, 1, "new URL");
      const text = toUsv(url);
      const record = parse(text, base);
      if (record === null) throw invalidUrl(text);
      adoptUrl(this, record);
    }
    static canParse(url, base) {
      requireArguments(arguments.length, 1, "URL.canParse");
      return parse(toUsv(url), base) !== null;
    }
    static parse(url, base) {
      requireArguments(arguments.length, 1, "URL.parse");
      const record = parse(toUsv(url), base);
      return record === null ? null : adoptUrl(objectCreate(URL.prototype), record);
    }
    get searchParams() {
      return brand.of(this).params;
    }
    toString() {
      return algorithms.serializeURL(brand.of(this).record);
    }
    toJSON() {
      return algorithms.serializeURL(brand.of(this).record);
    }
  }
  for (let index = 0; index < URL_COMPONENTS.length; index++) {
    const { get, set } = componentAccessor(URL_COMPONENTS[index], { __proto__: null, brand, algorithms, setQuery });
    defineAccessor(URL.prototype, URL_COMPONENTS[index], get, set);
  }
  return finishClass(URL, "URL");
}

function invalidUrl(text) {
  const error = new RawTypeError(`Invalid URL: ${jsonStringify(cutText(text, 200))}`);
  define(error, "code", "ERR_INVALID_URL", true);
  return error;
}

function componentAccessor(name, { brand, algorithms, setQuery }) {
  const accessor = {
    get value() {
      return readComponent(algorithms, brand.of(this).record, name);
    },
    set value(value) {
      const parts = brand.of(this);
      const text = toUsv(value);
      if (name === "href") {
        const record = algorithms.basicURLParse(text);
        if (record === null) throw invalidUrl(text);
        parts.record = record;
      } else writeComponent(algorithms, parts.record, name, text);
      if (name === "href" || name === "search") setQuery(parts.params, parts.record);
    },
  };
  const { get, set } = getOwnPropertyDescriptor(accessor, "value");
  return { __proto__: null, get, set: name === "origin" ? undefined : set };
}

function readComponent(algorithms, url, name) {
  switch (name) {
    case "href":
      return algorithms.serializeURL(url);
    case "origin":
      return algorithms.serializeURLOrigin(url);
    case "protocol":
      return `${url.scheme}:`;
    case "host":
      return url.host === null ? "" : algorithms.serializeHost(url.host) + (url.port === null ? "" : `:${url.port}`);
    case "hostname":
      return url.host === null ? "" : algorithms.serializeHost(url.host);
    case "port":
      return url.port === null ? "" : `${url.port}`;
    case "pathname":
      return algorithms.serializePath(url);
    case "search":
      return url.query === null || url.query === "" ? "" : `?${url.query}`;
    case "hash":
      return url.fragment === null || url.fragment === "" ? "" : `#${url.fragment}`;
    default:
      return url[name];
  }
}

/** The standard's setters, but for href. */
function writeComponent(algorithms, url, name, value) {
  const parse = (text, stateOverride) => algorithms.basicURLParse(text, { url, stateOverride });
  switch (name) {
    case "protocol":
      parse(`${value}:`, "scheme start");
      return;
    case "username":
      if (!algorithms.cannotHaveAUsernamePasswordPort(url)) algorithms.setTheUsername(url, value);
      return;
    case "password":
      if (!algorithms.cannotHaveAUsernamePasswordPort(url)) algorithms.setThePassword(url, value);
      return;
    case "host":
    case "hostname":
      if (!algorithms.hasAnOpaquePath(url)) parse(value, name);
      return;
    case "port":
      if (algorithms.cannotHaveAUsernamePasswordPort(url)) return;
      if (value === "") url.port = null;
      else parse(value, "port");
      return;
    case "pathname":
      if (algorithms.hasAnOpaquePath(url)) return;
      url.path = [];
      parse(value, "path start");
      return;
    case "search":
      url.query = value === "" ? null : "";
      if (value !== "") parse(value[0] === "?" ? stringSlice(value, 1) : value, "query");
      return;
    case "hash":
      url.fragment = value === "" ? null : "";
      if (value !== "") parse(value[0] === "#" ? stringSlice(value, 1) : value, "fragment");
      return;
  }
}
