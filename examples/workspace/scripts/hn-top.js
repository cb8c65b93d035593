// The list gives ids only; each story is one more request.
const BASE = "https://hacker-news.firebaseio.com/v0";

async function main() {
  const { list = "top", count = 10, minimumScore = 0 } = g.tool.args;
  const ids = await getJson(`${BASE}/${list}stories.json`);
  let fetched = 0;
  const wanted = ids.slice(0, count);
  const stories = await Promise.all(
    wanted.map(async (id) => {
      const story = await getJson(`${BASE}/item/${id}.json`);
      g.run.progress(++fetched, wanted.length);
      return story;
    }),
  );
  // An item that was removed comes as null, or with "deleted" or "dead".
  const shown = stories.filter((story) => story !== null && !story.deleted && !story.dead && (story.score ?? 0) >= minimumScore);
  return shown.map((story) => ({
    title: story.title,
    url: story.url ?? `https://news.ycombinator.com/item?id=${story.id}`,
    points: story.score ?? 0,
    comments: story.descendants ?? 0,
    by: story.by,
    at: new Date(story.time * 1000),
    discussion: `https://news.ycombinator.com/item?id=${story.id}`,
  }));
}

async function getJson(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`Hacker News answered ${response.status}`);
  return response.json();
}
