// The token is put into the request outside the sandbox (see "headers" in tools.json); this script never has it.
async function main() {
  const { repository, state = "open", labels = [], count = 20 } = g.tool.args;
  const response = await g.http.makeHttpRequest({
    url: `https://api.github.com/repos/${repository}/issues`,
    query: { state, per_page: 100, ...(labels.length > 0 && { labels: labels.join(",") }) },
  });
  if (response.status === 401) return g.result.fail("GitHub refused the token. Store a valid one: toolyard secrets set GITHUB_TOKEN");
  if (response.status === 404) return g.result.fail(`GitHub has no repository ${repository}, or the token may not see it.`);
  if (!response.ok) return g.result.fail(`GitHub answered ${response.status} for ${repository}.`);
  // GitHub lists pull requests as issues too; they have a "pull_request" key.
  const issues = response.json().filter((issue) => issue.pull_request === undefined);
  return issues.slice(0, count).map((issue) => ({
    number: issue.number,
    title: issue.title,
    state: issue.state,
    author: issue.user?.login,
    labels: issue.labels.map((label) => (typeof label === "string" ? label : label.name)),
    comments: issue.comments,
    updated: issue.updated_at,
    url: issue.html_url,
  }));
}
