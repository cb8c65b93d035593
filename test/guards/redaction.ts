/** Guards of masking: the forms of a value, and every place at which something leaves. */
import { guardsOf, type SecurityGuard } from "./guard.ts";

const REDACTION = "test/security/egress-redaction.test.ts";
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
      ["mask-url", "The final URL is masked.", "url: mask(url.href),", "url: url.href,", REDACTION, "test/security/attack.test.ts"],
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
      [
        "form-percent",
        "Percent-encoded.",
        'return [component, strict, form, component.replaceAll("%20", "+"), encodeURI(wellFormed)];',
        "return [];",
      ],
      [
        "form-percent-all",
        "Percent-encoded as a whole.",
        "for (const encoded of [...percentForms(text), percentAll(text)]) {",
        "for (const encoded of percentForms(text)) {",
      ],
      ["form-json", "Escaped as JSON.", "  for (const escaped of jsonForms(text)) {", "  for (const escaped of [] as string[]) {"],
      ["form-json-twice", "JSON in JSON.", "    forms.add(JSON.stringify(escaped).slice(1, -1));\n", ""],
      ["form-html", "Escaped as HTML.", 'return [...forms, ...forms.map((form) => form.replaceAll("/", "&#x2F;"))];', "return [];"],
      [
        "form-html-numbers",
        "Escaped as HTML, each character by its number.",
        "  for (const numeric of numericEntities(text)) forms.add(numeric);\n",
        "",
      ],
      ["form-hex", "Hex.", 'addForm(forms, Buffer.from(hex, "latin1"));', ""],
      ["form-hex-capital", "Hex in capitals.", 'addForm(forms, Buffer.from(hex.toUpperCase(), "latin1"));', ""],
      ["form-base64", "Base64 at all places.", "for (const before of [0, 1, 2]) {", "for (const before of [0]) {"],
      ["form-base64-all", "Base64.", "  addBase64Forms(forms, bytes);\n}", "}"],
      ["form-utf16", "UTF-16.", '  addForm(forms, Buffer.from(value, "utf16le"));\n', ""],
      ["form-trimmed", "Without the blanks at its ends.", "new Set([value, value.trim()])", "new Set([value])"],
      [
        "form-basic",
        "What is inside of Basic credentials.",
        "flatMap((text) => [text, ...basicCredentials(text)]);",
        "flatMap((text) => [text]);",
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
