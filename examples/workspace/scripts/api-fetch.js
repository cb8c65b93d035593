// A start for an API of your own: set its address here, and store both secrets for its host:
//   toolyard secrets set API_TOKEN --host api.example.com
//   toolyard secrets set API_KEY --host api.example.com
// "baseUrl" in the tool's "config", and "path" and "query" in its arguments, are used where they are given.
const BASE_URL = "https://api.example.com/v1";

async function main() {
  const { path = "/items", query } = g.tool.args;
  const baseUrl = g.config.baseUrl ?? BASE_URL;
  const response = await g.http.makeHttpRequest({ url: baseUrl + path, ...(query !== undefined && { query }) });
  if (!response.ok) return g.result.fail(`The API answered ${response.status} for ${path}.`);
  const isJson = (response.headers["content-type"] ?? "").includes("json");
  return isJson ? response.json() : response.text();
}
