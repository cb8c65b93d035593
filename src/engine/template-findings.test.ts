import { expect, test } from "vitest";
import { makeHome, openTestRuntime } from "../../test/support/runtime.ts";
import { entry, makeWorkspaceFolder } from "../../test/support/workspace-folder.ts";

const OAUTH = { tokenUrl: "https://login.example.com/", clientId: "{{ID", clientSecret: "{{CLIENT_SECRET}}" };

/** Findings of a tool with these fields, without their places. */
async function findings(more: Readonly<Record<string, unknown>>): Promise<readonly (readonly [string, string, string])[]> {
  const root = makeWorkspaceFolder([entry("call", more)]);
  const runtime = await openTestRuntime(root, makeHome());
  return runtime.engine.problems().map(({ code, severity, message }) => [code, severity, message]);
}

test("what looks like a template and is none is told, wherever templates may stand", async () => {
  const more = { headers: { "X-A": "{{a}}" }, query: { key: "<<KEY" }, auth: { oauth2: OAUTH } };
  expect((await findings(more)).map(([code, severity]) => [code, severity])).toEqual([
    ["TEMPLATE_LITERAL", "warning"],
    ["TEMPLATE_LITERAL", "warning"],
    ["TEMPLATE_LITERAL", "warning"],
  ]);
});

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ["Basic credentials beside text", { headers: { Authorization: "Basic {{basic A B}}" } }, "makes the whole value"],
  ["Basic credentials in the query", { query: { key: "{{basic A B}}" } }, 'the query parameter "key" takes none'],
  [
    "Basic credentials as a client secret",
    { auth: { oauth2: { ...OAUTH, clientSecret: "{{basic A B}}" } } },
    '"clientSecret" takes the value itself',
  ],
  [
    "a token beside a header of its own",
    { headers: { aUTHORIZATION: "x" }, auth: { oauth2: { ...OAUTH, clientId: "me" } } },
    '"auth" and the header "Authorization" are both set',
  ],
])("%s set the tool aside", async (_, more, said) => {
  expect(await findings(more)).toEqual([["INVALID_VALUE", "error", expect.stringContaining(said)]]);
});
