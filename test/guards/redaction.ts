/** Guards of masking: the forms of a value, and every place at which something leaves. */
import { guardsOf, type SecurityGuard } from "./guard.ts";

const REDACTION = "test/security/egress-redaction.test.ts";
const WRAPPED = "test/security/egress-redirect-wrapped.test.ts";
const SAME = "test/security/egress-same-server.test.ts";
const PATH = "test/security/secret-path.test.ts";

export const redactionGuards: readonly SecurityGuard[] = [
  ...guardsOf(
    "src/egress/response.ts",
    [REDACTION],
    [
      ["mask-status", "The status text is masked.", "statusText: mask(answer.statusText),", "statusText: answer.statusText,"],
      ["mask-header-names", "Names of headers are masked.", "[mask(name), mask(values", "[name, mask(values"],
      ["mask-header-values", "Values of headers are masked.", 'mask(values.join(", "))] as const', 'values.join(", ")] as const'],
      [
        "mask-cookies",
        "Cookies are masked.",
        '(answer.headers.get("set-cookie") ?? []).map(mask),',
        'answer.headers.get("set-cookie") ?? [],',
      ],
      [
        "mask-body",
        "Bodies are masked.",
        "body: bodyOf(masks === undefined ? Buffer.concat(pieces) : maskedBody(pieces, masks)),",
        "body: bodyOf(Buffer.concat(pieces)),",
      ],
      [
        "mask-url",
        "The final URL is masked.",
        "const shown = mask(url.href);",
        "const shown = url.href;",
        REDACTION,
        "test/security/attack.test.ts",
      ],
      [
        "mask-deep",
        "Headers and URLs are masked as a whole where a secret is deep in them.",
        "return findsDeep(masks, masked) ? REDACTED : masked;",
        "return masked;",
        WRAPPED,
      ],
      [
        "masks-late",
        "What another request of the call sent meanwhile is masked too.",
        "  const pieces = await readBody(answer.body",
        "  const early = redactor();\n  redactor = () => early;\n  const pieces = await readBody(answer.body",
        "test/security/single-guards.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/secret-forms.ts",
    [REDACTION],
    [
      ["form-hex", "Hex.", 'return [Buffer.from(hex, "latin1"), ', "return ["],
      ["form-hex-capital", "Hex in capitals.", ', Buffer.from(hex.toUpperCase(), "latin1")];', "];"],
      ["form-base64", "Base64 at all places.", "return [0, 1, 2].flatMap((before) => {", "return [0].flatMap((before) => {"],
      [
        "form-nested",
        "One encoding within another in base64 and hex.",
        "if (text.length <= MAX_NESTED_CHARACTERS)",
        "if (text.length < 0)",
      ],
      [
        "form-escaped",
        "A value escaped, then in base64.",
        '  for (const inner of escaped) addEncodedForms(forms, Buffer.from(inner, "latin1"));\n',
        "",
      ],
      [
        "form-undone",
        "A value that looks escaped, as it is where escapes are undone.",
        "round < UNDONE_ROUNDS &&",
        "round < 0 &&",
        "src/egress/redactor.test.ts",
      ],
      ["form-utf16", "UTF-16.", '  addForm(forms, Buffer.from(value, "utf16le"));\n', ""],
      ["form-trimmed", "Without the blanks at its ends.", "new Set([value, value.trim()])", "new Set([value])"],
      [
        "form-basic",
        "What is inside of Basic credentials.",
        "flatMap((text) => [text, ...basicCredentials(text)])",
        "flatMap((text) => [text])",
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/escapes.ts",
    [REDACTION],
    [
      ["escape-percent", "Percent-encoded.", "return percentAt(bytes, at, length, isLast);", "return NO_ESCAPE;"],
      ["escape-percent-again", "Percent-encoded many times.", "const MAX_REPEATS = 8;", "const MAX_REPEATS = 0;"],
      ["escape-backslash", "Escaped as JSON and in literals.", "return backslashAt(bytes, at, length, isLast);", "return NO_ESCAPE;"],
      ["escape-html", "Escaped as HTML.", "return entityAt(bytes, at, length);", "return NO_ESCAPE;"],
      ["escape-html-names", "Escaped as HTML, by name.", "return namedAt(bytes, at, length);", "return NO_ESCAPE;"],
      [
        "escape-latin-1",
        "In Latin-1 and UTF-8 mixed.",
        "return folds ? pairAt(bytes, at, length) : NO_ESCAPE;",
        "return NO_ESCAPE;",
        "src/egress/redactor.test.ts",
      ],
      [
        "escape-cut",
        "Escapes that are cut between two pieces.",
        "return sight === UNDECIDED && isLast ? NO_ESCAPE : sight;",
        "return sight === UNDECIDED ? NO_ESCAPE : sight;",
        "src/egress/redactor.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/egress/layered-search.ts",
    [REDACTION],
    [["escape-layers", "Escapes within escapes.", "const MAX_DEPTH = 3;", "const MAX_DEPTH = 1;"]],
  ),
  ...guardsOf(
    "src/egress/deep-search.ts",
    [WRAPPED],
    [
      ["deep-words", "Base64 and hex in a Location are read.", "if (depth < MAX_DEPTH) words.push(", "if (depth < 0) words.push("],
      ["deep-places", "Base64 is read from each place.", "[0, 1, 2, 3].map((skipped)", "[0].map((skipped)"],
      ["deep-escapes", "Escapes in a Location are taken off until none is left.", "        bytes = unescaped(bytes);\n", ""],
    ],
  ),
  ...guardsOf(
    "src/egress/call-egress.ts",
    [SAME],
    [
      [
        "places-all",
        "An answer to a request without a secret is masked where the server was sent one.",
        "  trail.visited.push(hop.url);\n  if (carriesSecret) chain",
        "  if (carriesSecret) trail.visited.push(hop.url);\n  if (carriesSecret) chain",
      ],
      ["places-issuer", "An issuer was sent secrets too.", "  if (token !== undefined) chain.sentTo.add(token.issuer);\n", ""],
    ],
  ),
  ...guardsOf(
    "src/egress/sent-places.ts",
    [SAME],
    [
      [
        "places-addresses",
        "The same server under another name was sent a secret as well.",
        ".some((address) => addresses.has(address))",
        ".some((address) => addresses.has(place))",
      ],
    ],
  ),
  ...guardsOf(
    "src/engine/script-tool.ts",
    [PATH, "test/security/attack.test.ts"],
    [
      [
        "mask-logs",
        "Log lines of a script are masked.",
        "text: egress.redactor().redactText(line.text) }",
        "text: line.text }",
        "test/security/single-guards.test.ts",
      ],
      [
        "mask-progress",
        "Progress is masked.",
        "message: egress.redactor().redactText(message) }",
        "message }",
        "test/security/single-guards.test.ts",
      ],
      [
        "mask-results",
        "Results are masked.",
        'return { kind: "value", value: redactor.redactJson(result.value), figures };',
        'return { kind: "value", value: result.value, figures };',
        "test/security/single-guards.test.ts",
      ],
      [
        "mask-errors",
        "Errors of a script are masked.",
        "const error = tellRequests(redactError(result.error, egress), egress);",
        "const error = tellRequests(result.error, egress);",
        "test/security/single-guards.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/secrets/call-secrets.ts",
    [PATH, "src/secrets/call-secrets.test.ts"],
    [
      [
        "mask-sent-only",
        "Only what was sent is masked, so that masking tells no guess.",
        "sent: () => [...sent.values()],",
        "sent: () => [...values.values()],",
        "src/secrets/call-secrets.test.ts",
        PATH,
      ],
    ],
  ),
  ...guardsOf(
    "src/engine/script-content.ts",
    ["src/engine/script-content.test.ts"],
    [["mask-content", "Content is masked.", "maskOutsideOfBytes(wellFormedJson(block), redactor)", "wellFormedJson(block)"]],
  ),
  ...guardsOf(
    "src/egress/redactor.ts",
    ["src/egress/redactor.test.ts", PATH],
    [
      [
        "mask-keys",
        "Keys of JSON are masked.",
        "[redactText(key), redactJson(inner)]",
        "[key, redactJson(inner)]",
        "src/egress/redactor.test.ts",
        "test/security/single-guards.test.ts",
      ],
    ],
  ),
];
