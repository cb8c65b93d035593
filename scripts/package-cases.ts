// A small use of each package, for try-packages.ts: `main` gives a value that is known beforehand.

/** A use of a package. `entry`: what is imported, where it is not the name alone. */
export interface PackageCase {
  readonly name: string;
  readonly entry?: string;
  readonly script: string;
  readonly expected: unknown;
  /** What the page says beside the outcome, where the use shows less than a reader would take from it. */
  readonly note?: string;
}

function use(entry: string, what: string, body: string, expected: unknown, note?: string): PackageCase {
  const name = entry
    .split("/")
    .slice(0, entry.startsWith("@") ? 2 : 1)
    .join("/");
  const script = `import ${what} from "${entry}";\nexport default async () => {\n${body}\n};\n`;
  return { name, script, expected, ...(name === entry ? {} : { entry }), ...(note === undefined ? {} : { note }) };
}

const LOADS = "tried only as far as that it loads; no request was made with it";

/** The uses, in the order of the page. */
export const cases: readonly PackageCase[] = [
  use("lodash", "_", "return [_.chunk([1, 2, 3], 2), _.template('<%= a %>')({ a: 1 })];", [[[1, 2], [3]], "1"]),
  use("lodash-es", "{ groupBy, merge }", "return [groupBy([1, 2, 3], (n) => n % 2), merge({ a: { b: 1 } }, { a: { c: 2 } })];", [
    { 0: [2], 1: [1, 3] },
    { a: { b: 1, c: 2 } },
  ]),
  use("ramda", "* as R", "return R.pipe(R.map(R.inc), R.sum)([1, 2]);", 5),
  use("immer", "{ produce }", "return produce({ list: [1] }, (draft) => void draft.list.push(2));", { list: [1, 2] }),
  use("rxjs", "{ from, map, toArray, lastValueFrom }", "return lastValueFrom(from([1, 2]).pipe(map((n) => n * 2), toArray()));", [2, 4]),
  use("date-fns", "{ addDays, format }", "return format(addDays(new Date(2026, 0, 31), 1), 'yyyy-MM-dd');", "2026-02-01"),
  use("dayjs", "dayjs", "return dayjs('2026-01-31').add(1, 'month').format('YYYY-MM-DD');", "2026-02-28"),
  use(
    "luxon",
    "{ DateTime }",
    "return DateTime.fromISO('2026-01-31T12:00:00Z', { zone: 'utc' }).plus({ months: 1 }).toISODate();",
    "2026-02-28",
  ),
  use(
    "cron-parser",
    "{ CronExpressionParser }",
    "return CronExpressionParser.parse('0 0 * * *', { currentDate: '2026-01-01T12:00:00Z', tz: 'UTC' }).next().toISOString();",
    "2026-01-02T00:00:00.000Z",
  ),
  use(
    "rrule",
    "* as rrule",
    "const { RRule } = rrule.RRule ? rrule : rrule.default; return new RRule({ freq: RRule.DAILY, count: 2, dtstart: new Date(Date.UTC(2026, 0, 1)) }).all().map((d) => d.toISOString().slice(0, 10));",
    ["2026-01-01", "2026-01-02"],
  ),
  use(
    "ical.js",
    "ICAL",
    "return new ICAL.Component(ICAL.parse('BEGIN:VCALENDAR\\r\\nBEGIN:VEVENT\\r\\nSUMMARY:x\\r\\nEND:VEVENT\\r\\nEND:VCALENDAR')).getFirstSubcomponent('vevent').getFirstPropertyValue('summary');",
    "x",
  ),
  use("zod", "{ z }", "return z.object({ n: z.coerce.number().min(1) }).safeParse({ n: '3' });", { success: true, data: { n: 3 } }),
  use("valibot", "* as v", "return v.safeParse(v.object({ n: v.number() }), { n: 1 }).success;", true),
  use("ajv", "{ Ajv }", "return new Ajv().validate({ type: 'object', required: ['a'] }, { a: 1 });", true),
  use("validator", "validator", "return [validator.isEmail('a@example.com'), validator.isURL('x')];", [true, false]),
  use("csv-parse/sync", "{ parse }", "return parse('a,b\\n1,2', { columns: true });", [{ a: "1", b: "2" }]),
  use("csv-parse/browser/esm/sync", "{ parse }", "return parse('a,b\\n1,2', { columns: true });", [{ a: "1", b: "2" }]),
  use("csv-stringify/browser/esm/sync", "{ stringify }", "return stringify([[1, 2]]);", "1,2\n"),
  use("papaparse", "Papa", "return Papa.parse('a,b\\n1,2', { header: true }).data;", [{ a: "1", b: "2" }]),
  use("yaml", "{ parse, stringify }", "return [parse('a: [1, 2]'), stringify({ b: 1 })];", [{ a: [1, 2] }, "b: 1\n"]),
  use("js-yaml", "* as yaml", "return yaml.load('a: 1');", { a: 1 }),
  use("smol-toml", "{ parse }", "return parse('a = 1');", { a: 1 }),
  use("ini", "{ parse }", "return parse('[s]\\na=1');", { s: { a: "1" } }),
  use("fast-xml-parser", "{ XMLParser }", "return new XMLParser().parse('<a><b>1</b></a>');", { a: { b: 1 } }),
  use("xml2js", "xml2js", "return xml2js.parseStringPromise('<a><b>1</b></a>');", { a: { b: ["1"] } }),
  use("cheerio", "{ load }", "return load('<ul><li>1</li><li>2</li></ul>')('li').map((i, el) => i + el.children[0].data).get();", [
    "01",
    "12",
  ]),
  use("cheerio/slim", "{ load }", "return load('<p class=\"a\">x</p>')('p.a').text();", "x"),
  use("htmlparser2", "{ parseDocument, DomUtils }", "return DomUtils.textContent(parseDocument('<p>x</p>'));", "x"),
  use("node-html-parser", "{ parse }", "return parse('<p id=a>x</p>').querySelector('#a').text;", "x"),
  use("linkedom", "{ parseHTML }", "return parseHTML('<p>x</p>').document.querySelector('p').textContent;", "x"),
  use("sanitize-html", "sanitize", "return sanitize('<b onclick=1>x</b><script>1</script>');", "<b>x</b>"),
  use("he", "he", "return he.decode('&eacute;');", "é"),
  use("marked", "{ marked }", "return marked.parse('# A');", "<h1>A</h1>\n"),
  use("markdown-it", "MarkdownIt", "return new MarkdownIt().render('# A');", "<h1>A</h1>\n"),
  use("turndown", "Turndown", "return new Turndown().turndown('<h1>A</h1>');", "A\n="),
  use("mustache", "Mustache", "return Mustache.render('{{a}}', { a: '<' });", "&lt;"),
  use("handlebars", "Handlebars", "return Handlebars.compile('{{#each list}}{{this}}{{/each}}')({ list: [1, 2] });", "12"),
  use("nunjucks", "nunjucks", "return nunjucks.renderString('{% for x in l %}{{ x }}{% endfor %}', { l: [1, 2] });", "12"),
  use("ejs", "ejs", "return ejs.render('<% for (const x of l) { %><%= x %><% } %>', { l: [1, 2] });", "12"),
  use(
    "jose",
    "{ decodeJwt, base64url }",
    "return [decodeJwt('eyJhbGciOiJub25lIn0.eyJhIjoxfQ.'), base64url.encode('a')];",
    [{ a: 1 }, "YQ"],
    "reads tokens and keys. To sign, verify or encrypt it needs `crypto.subtle`, which is not here: `crypto-js` and `@noble/hashes` make an HMAC without it",
  ),
  use("js-sha256", "{ sha256 }", "return sha256('a').slice(0, 8);", "ca978112"),
  use("crypto-js", "CryptoJS", "return CryptoJS.HmacSHA256('a', 'k').toString().length;", 64),
  use("@noble/hashes/sha2.js", "{ sha256 }", "return sha256(new TextEncoder().encode('a'))[0];", 202),
  use("uuid", "{ v4, validate }", "return validate(v4());", true),
  use("nanoid", "{ nanoid }", "return nanoid().length;", 21),
  use("decimal.js", "{ Decimal }", "return new Decimal('0.1').plus('0.2').toString();", "0.3"),
  use("big.js", "Big", "return new Big('0.1').plus('0.2').toString();", "0.3"),
  use("bignumber.js", "BigNumber", "return new BigNumber('0.1').plus('0.2').toString();", "0.3"),
  use("mathjs", "{ evaluate }", "return evaluate('2 * (3 + 4)');", 14),
  use("simple-statistics", "{ median }", "return median([1, 2, 10]);", 2),
  use("p-limit", "pLimit", "const limit = pLimit(1); return Promise.all([1, 2].map((n) => limit(async () => n * 2)));", [2, 4]),
  use("p-map", "pMap", "return pMap([1, 2], async (n) => n * 2, { concurrency: 1 });", [2, 4]),
  use(
    "p-retry",
    "pRetry",
    "let n = 0; return pRetry(async () => { n += 1; if (n < 2) throw new Error('again'); return n; }, { minTimeout: 1 });",
    2,
  ),
  use("qs", "qs", "return qs.stringify({ a: { b: [1, 2] } }, { encode: false });", "a[b][0]=1&a[b][1]=2"),
  use("ky", "ky", "return typeof ky.get;", "function", LOADS),
  use("axios", "axios", "return typeof axios.get;", "function", LOADS),
  use("semver", "semver", "return semver.satisfies('1.2.3', '^1.0.0');", true),
  use("jsonpath-plus", "{ JSONPath }", "return JSONPath({ path: '$.a[*]', json: { a: [1, 2] } });", [1, 2]),
  use("jmespath", "jmespath", "return jmespath.search({ a: [{ b: 1 }] }, 'a[*].b');", [1]),
  use("minimatch", "{ minimatch }", "return minimatch('a/b.js', '**/*.js');", true),
  use("fuse.js", "Fuse", "return new Fuse(['apple', 'pear'], {}).search('aple')[0].item;", "apple"),
  use("diff", "{ diffLines }", "return diffLines('a\\nb\\n', 'a\\nc\\n').length;", 3),
  use("slugify", "slugify", "return slugify('Äpfel und Birnen');", "Apfel-und-Birnen"),
  use("change-case", "{ camelCase }", "return camelCase('one two');", "oneTwo"),
  use(
    "lru-cache",
    "{ LRUCache }",
    "const c = new LRUCache({ max: 1 }); c.set('a', 1); c.set('b', 2); return [c.get('a') ?? null, c.get('b')];",
    [null, 2],
  ),
  use("fflate", "{ gzipSync, gunzipSync, strToU8, strFromU8 }", "return strFromU8(gunzipSync(gzipSync(strToU8('abc'))));", "abc"),
  use("pako", "* as pako", "return new TextDecoder().decode(pako.inflate(pako.deflate('abc')));", "abc"),
  use("iconv-lite", "iconv", "return iconv.decode(new Uint8Array([0xe9]), 'latin1');", "é"),
];
